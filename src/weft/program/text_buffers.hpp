// Buffers declared in any order. Program::buffers begins with the tensors' own buffers, so while tensors still come the place of
// a further buffer is not known. Until then it goes by kLaterBuffer + its number.
#pragma once
#include <vector>

#include "weft/program/program.hpp"

namespace weft::program {

inline constexpr BufferId kLaterBuffer = 1U << 31;

/// Appends `later` to the buffers and gives every reference to them its final id.
void place_buffers(Program& program, std::vector<Buffer> later);

}  // namespace weft::program
