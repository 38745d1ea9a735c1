# Every bench/*.cpp goes into one program, weft_bench.
find_package(benchmark QUIET)
file(GLOB WEFT_BENCH_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.cpp)
if(benchmark_FOUND AND WEFT_BENCH_SOURCES)
  add_executable(weft_bench ${WEFT_BENCH_SOURCES})
  target_link_libraries(weft_bench PRIVATE ${WEFT_LAYER_TARGETS} benchmark::benchmark benchmark::benchmark_main)
endif()
