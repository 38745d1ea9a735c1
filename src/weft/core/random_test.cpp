#include "weft/core/random.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft {
namespace {

// The first word of philox4x64_10 in Random123's published known answers (all-zero and all-one inputs).
TEST(Random, IsPhilox) {
  EXPECT_EQ(random_u64(0, 0, 0), 0x16554d9eca36314cULL);
}

TEST(Random, DependsOnEachArgument) {
  EXPECT_NE(random_u64(1, 0, 0), random_u64(0, 1, 0));
  EXPECT_NE(random_u64(0, 1, 0), random_u64(0, 0, 1));
  EXPECT_EQ(random_u64(7, 8, 9), random_u64(7, 8, 9));
}

TEST(Random, UnitsAreUniform) {
  constexpr int count = 20000;
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    const double x = random_unit(42, 1, static_cast<std::uint64_t>(i));
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
  }
  EXPECT_NEAR(sum / count, 0.5, 0.01);
}

TEST(Random, BelowStaysBelowAndReachesEverything) {
  std::vector<int> seen(7);
  for (std::uint64_t i = 0; i < 700; ++i) ++seen.at(random_below(1, 2, i, 7));
  for (const int count : seen) EXPECT_GT(count, 50);
  EXPECT_LT(random_below(1, 2, 3, 0xffffffffffffffffULL), 0xffffffffffffffffULL);
  EXPECT_EQ(random_below(1, 2, 3, 1ULL << 32U), random_u64(1, 2, 3) >> 32U);
}

TEST(Random, HashesAreFixed) {
  static_assert(mix64(0) == 0xe220a8397b1dcdafULL);  // SplitMix64's first output for seed 0
  static_assert(hash_string("a") != hash_string("b"));
}

}  // namespace
}  // namespace weft
