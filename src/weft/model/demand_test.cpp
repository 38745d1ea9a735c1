#include "weft/model/demand.hpp"

#include <gtest/gtest.h>

#include "weft/core/error.hpp"
#include "weft/core/random.hpp"

namespace weft::model {
namespace {

// Law: D (1 - C(E-E/D, k)/C(E, k)) distinct targets, against values computed apart.
TEST(Demand, DistinctTargetsInClosedForm) {
  EXPECT_NEAR(uniform_demand(8, 2, 2, 1).ranks_per_token(), 1.571, 5e-4);
  EXPECT_NEAR(uniform_demand(8, 2, 4, 1).ranks_per_token(), 1.857, 5e-4);
  EXPECT_NEAR(uniform_demand(256, 8, 2, 1).ranks_per_token(), 1.993, 5e-4);
  EXPECT_NEAR(uniform_demand(256, 8, 16, 1).ranks_per_token(), 6.523, 5e-4);
  EXPECT_NEAR(uniform_demand(384, 8, 8, 1).ranks_per_token(), 5.280, 5e-4);
}

TEST(Demand, OneRankGetsEveryTokenOnce) {
  const Demand d = uniform_demand(8, 2, 1, 5);
  EXPECT_DOUBLE_EQ(d.rows_per_pair(), 5);
  EXPECT_DOUBLE_EQ(d.expert_rows(), 10);
}

TEST(Demand, OneExpertARankSendsEachChoice) {
  const Demand d = uniform_demand(8, 2, 8, 8);
  EXPECT_DOUBLE_EQ(d.rows_per_pair(), 2);
  EXPECT_DOUBLE_EQ(d.rows_received(), 16);
}

// A node's distinct rows are fewer than its ranks' rows and as many as any one of them.
TEST(Demand, GroupsCountEachTokenOnce) {
  const Demand d = uniform_demand(64, 6, 16, 128);
  EXPECT_LT(d.rows_to_group(4), 4 * d.rows_per_pair());
  EXPECT_GT(d.rows_to_group(4), d.rows_per_pair());
  EXPECT_DOUBLE_EQ(d.rows_to_group(16), 128);
}

// The mean over drawn routings is the closed form.
TEST(Demand, AgreesWithDrawing) {
  const std::int64_t experts = 16, k = 3, set = 4, draws = 20000;
  std::int64_t hits = 0;
  for (std::int64_t i = 0; i < draws; ++i) {
    std::uint64_t chosen = 0;
    bool hit = false;
    for (std::uint64_t n = 0, got = 0; got < 3; ++n) {
      const std::uint64_t x = random_below(7, static_cast<std::uint64_t>(i), n, 16);
      if ((chosen >> x & 1U) != 0) continue;
      chosen |= std::uint64_t{1} << x;
      ++got;
      hit = hit || x < static_cast<std::uint64_t>(set);
    }
    hits += hit ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(hits) / draws, hit_probability(experts, k, set), 0.012);
}

TEST(Demand, BytesRoundUpOnce) {
  EXPECT_EQ(row_bytes(0.5, Bytes(3)), Bytes(2));
  EXPECT_EQ(row_bytes(2, Bytes(8192)), Bytes(16384));
  EXPECT_EQ(row_bytes(8 * hit_probability(8, 2, 1), Bytes(8192)),
            Bytes(16384));  // 1 - 7/8 * 6/7 is not exact in binary
}

TEST(Demand, ExpertsThatDoNotDivideAreRefused) {
  EXPECT_THROW(uniform_demand(8, 2, 3, 1), Error);
  EXPECT_THROW(expected_demand("zipf:1.0", 8, 2, 2, 1), Error);
}

}  // namespace
}  // namespace weft::model
