// The kernel catalogue behind kernel.hpp: Registry<KernelOp>, filled by kernel_ops.cpp.
#pragma once
#include <optional>
#include <string_view>

#include "weft/machine/kernel.hpp"

namespace weft::machine {

/// As parse_dtype, but nothing where there is no such type.
std::optional<DType> find_dtype(std::string_view text);

}  // namespace weft::machine
