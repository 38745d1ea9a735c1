// Deterministic random numbers: a pure function of (seed, stream, index), so results do not depend on thread order.
#pragma once

#include <cstdint>
#include <string_view>

namespace weft {

// Philox 4x64, ten rounds. `stream` tells users of one seed apart (hash_string("routing"), a rank, a layer).
std::uint64_t random_u64(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
// Uniform in [0, 1), 53 bits.
double random_unit(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
// Uniform in [0, bound); bound must be positive. Bias is below bound / 2^64.
std::uint64_t random_below(std::uint64_t seed, std::uint64_t stream, std::uint64_t index, std::uint64_t bound);

// SplitMix64's finaliser: a bijection that spreads every input bit.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31U);
}

constexpr std::uint64_t hash_combine(std::uint64_t a, std::uint64_t b) {
  return mix64(a ^ mix64(b));
}

// FNV-1a, finished with mix64; the same on every platform.
constexpr std::uint64_t hash_string(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return mix64(hash);
}

}  // namespace weft
