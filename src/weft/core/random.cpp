#include "weft/core/random.hpp"

#include <Random123/philox.h>

namespace weft {

std::uint64_t random_u64(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const r123::Philox4x64 generator;
  const r123::Philox4x64::ctr_type counter = {{index, stream, 0, 0}};
  const r123::Philox4x64::key_type key = {{seed, 0}};
  return generator(counter, key)[0];
}

double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return static_cast<double>(random_u64(seed, stream, index) >> 11U) * 0x1p-53;
}

std::uint64_t random_below(std::uint64_t seed, std::uint64_t stream, std::uint64_t index, std::uint64_t bound) {
  // The high half of the 128-bit product, computed from 32-bit halves.
  const std::uint64_t x = random_u64(seed, stream, index);
  constexpr std::uint64_t low_half = 0xffffffffULL;
  const std::uint64_t x_low = x & low_half;
  const std::uint64_t x_high = x >> 32U;
  const std::uint64_t b_low = bound & low_half;
  const std::uint64_t b_high = bound >> 32U;
  const std::uint64_t low = x_low * b_low;
  const std::uint64_t middle = x_high * b_low + (low >> 32U);
  const std::uint64_t other = x_low * b_high + (middle & low_half);
  return x_high * b_high + (middle >> 32U) + (other >> 32U);
}

}  // namespace weft
