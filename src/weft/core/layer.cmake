target_include_directories(${WEFT_LAYER_TARGET} PRIVATE ${CMAKE_BINARY_DIR}/generated)
target_compile_definitions(${WEFT_LAYER_TARGET} PRIVATE WEFT_DATA_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(${WEFT_LAYER_TARGET} PUBLIC yaml-cpp)
