# Compiler settings, dependencies and the rule by which a folder becomes a library.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
string(REPLACE "-O3 -DNDEBUG" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)

find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime
                                  CCACHE_PCH_EXTSUM=1 ${WEFT_CCACHE})
endif()
find_program(WEFT_MOLD mold)

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(absl REQUIRED)
find_package(TBB REQUIRED)

# What every target has: warnings, include paths, the small common libraries.
add_library(weft_base INTERFACE)
target_include_directories(weft_base INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(weft_base INTERFACE fmt::fmt absl::flat_hash_map TBB::tbb Threads::Threads)
target_compile_options(weft_base INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                           $<$<BOOL:${WEFT_WERROR}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False alarms of g++ 12 about inlined std::string; clang-tidy and the sanitizers watch over these instead.
  target_compile_options(weft_base INTERFACE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # std::stable_sort of libstdc++ 12 uses what the same library calls deprecated.
  target_compile_options(weft_base INTERFACE -Wno-deprecated-declarations)
endif()
if(WEFT_MOLD)
  target_link_options(weft_base INTERFACE -fuse-ld=mold)
endif()
if(WEFT_SANITIZE)
  target_compile_options(weft_base INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all
                                             -fno-omit-frame-pointer -g1)
  target_link_options(weft_base INTERFACE -fsanitize=${WEFT_SANITIZE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Under the sanitizers' instrumentation g++ 12 sees uninitialised values which are not there.
    target_compile_options(weft_base INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()
if(WEFT_FUZZ)
  target_compile_options(weft_base INTERFACE -fsanitize=fuzzer-no-link)
endif()

# The version, with git's word on it where there is a repository.
set(WEFT_GIT_DESCRIBE "")
if(EXISTS ${CMAKE_SOURCE_DIR}/.git)
  execute_process(COMMAND git describe --always --dirty --tags WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
                  OUTPUT_VARIABLE WEFT_GIT_DESCRIBE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(EXISTS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/version_info.hpp.in ${CMAKE_BINARY_DIR}/generated/weft_version_info.hpp)

# One precompiled header for all folders.
file(WRITE ${CMAKE_BINARY_DIR}/generated/pch.cpp.new "// holds the precompiled header\n")
configure_file(${CMAKE_BINARY_DIR}/generated/pch.cpp.new ${CMAKE_BINARY_DIR}/generated/pch.cpp COPYONLY)
function(weft_precompile target from)
  if(WEFT_PCH)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()
if(WEFT_PCH)
  add_library(weft_pch OBJECT ${CMAKE_BINARY_DIR}/generated/pch.cpp)
  target_link_libraries(weft_pch PUBLIC weft_base)
  target_precompile_headers(weft_pch PRIVATE <algorithm> <cstdint> <filesystem> <functional> <map> <memory> <optional>
                            <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>
                            <tl/expected.hpp>)
endif()

# src/weft/<layer> becomes the object library weft_<layer>: objects, because things that register themselves must not be
# dropped by the linker. A folder with needs of its own says so in its layer.cmake, which sees the target's name as
# ${WEFT_LAYER_TARGET}.
set(WEFT_LAYER_TARGETS)
macro(weft_add_layer layer)
  file(GLOB WEFT_LAYER_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/weft/${layer}/*.cpp)
  list(FILTER WEFT_LAYER_SOURCES EXCLUDE REGEX "(_test|/main)\\.cpp$")
  if(WEFT_LAYER_SOURCES)
    set(WEFT_LAYER_TARGET weft_${layer})
    add_library(${WEFT_LAYER_TARGET} OBJECT ${WEFT_LAYER_SOURCES})
    target_link_libraries(${WEFT_LAYER_TARGET} PUBLIC weft_base)
    weft_precompile(${WEFT_LAYER_TARGET} weft_pch)
    if(EXISTS ${CMAKE_SOURCE_DIR}/src/weft/${layer}/layer.cmake)
      include(${CMAKE_SOURCE_DIR}/src/weft/${layer}/layer.cmake)
    endif()
    list(APPEND WEFT_LAYER_TARGETS ${WEFT_LAYER_TARGET})
  endif()
endmacro()
