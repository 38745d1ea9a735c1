#include "weft/program/program.hpp"

#include <algorithm>

namespace weft::program {
namespace {

__extension__ using Wide = __int128;

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

std::int64_t divide_up(Wide a, Wide b) {
  return static_cast<std::int64_t>((a + b - 1) / b);
}

}  // namespace

std::int64_t Space::size() const {
  return product(shape);
}

std::int64_t Tensor::volume() const {
  return product(shape);
}

Bytes Tensor::bytes(std::int64_t cells) const {
  if (cells <= 0) return Bytes(0);
  if (!total) return Bytes(divide_up(static_cast<Wide>(cells) * machine::bits(dtype), 8));
  const std::int64_t whole = std::max<std::int64_t>(volume(), 1);
  return Bytes(divide_up(static_cast<Wide>(cells) * total->value(), whole));
}

}  // namespace weft::program
