# Every *_test.cpp beside the sources and every tests/**/*_test.cpp go into one program, weft_tests (ctest label "fast").
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
enable_testing()

file(GLOB_RECURSE WEFT_TEST_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/weft/*_test.cpp
     ${CMAKE_SOURCE_DIR}/tests/*.cpp)
# SimGrid is an oracle for some tests; it switches stacks by itself, which the sanitizers do not follow.
find_library(WEFT_SIMGRID simgrid)
if(NOT WEFT_SIMGRID OR WEFT_SANITIZE)
  list(FILTER WEFT_TEST_SOURCES EXCLUDE REGEX "/tests/oracle/")
endif()
add_executable(weft_tests ${WEFT_TEST_SOURCES})
target_include_directories(weft_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests)
if(WEFT_SIMGRID AND NOT WEFT_SANITIZE)
  target_link_libraries(weft_tests PRIVATE ${WEFT_SIMGRID})
endif()
target_link_libraries(weft_tests PRIVATE ${WEFT_LAYER_TARGETS} rapidcheck GTest::gmock GTest::gtest GTest::gtest_main)
target_compile_definitions(weft_tests PRIVATE WEFT_SOURCE_DIR="${CMAKE_SOURCE_DIR}" WEFT_BINARY_DIR="${CMAKE_BINARY_DIR}")
if(WEFT_PCH)
  target_precompile_headers(weft_tests PRIVATE <algorithm> <functional> <map> <string> <vector> <fmt/format.h>
                            <gtest/gtest.h>)
endif()
if(TARGET weft)
  add_dependencies(weft_tests weft)
endif()

include(GoogleTest)
gtest_discover_tests(weft_tests DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                     PROPERTIES LABELS fast TIMEOUT 120 WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
