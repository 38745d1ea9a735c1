#include "weft/program/interpret.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "weft/core/error.hpp"
#include "weft/program/verify_cases.hpp"

namespace weft::test {
namespace {

double by_site(const std::string&, SiteId site, std::int64_t cell) {
  return 100.0 * (site + 1) + static_cast<double>(cell);
}
double by_cell(const std::string& tensor, SiteId, std::int64_t cell) {
  return tensor == "A" ? 1.0 + static_cast<double>(cell % 7) : 2.0 + static_cast<double>(cell % 5);
}

TEST(Interpret, AChainReduceSumsEveryRank) {
  const Program p = reduce_tree({0, 0, 1, 2});
  const Interpretation r = interpret(expand(p, 4), by_site);
  EXPECT_EQ(r.memory.at({"x", 0}), (Array{1000, 1004, 1008, 1012}));
}

TEST(Interpret, ARingAllReduceLeavesTheSumEverywhere) {
  const Program p = ring_all_reduce(4);
  const Interpretation r = interpret(expand(p, 4), by_site);
  for (SiteId s = 0; s < 4; ++s) {
    for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(r.memory.at({"x", s})[c], 1000.0 + 4.0 * static_cast<double>(c));
  }
}

TEST(Interpret, ComputeShiftEqualsAMatrixProduct) {
  const std::size_t n = 4, depth = 6;
  const Program p = compute_shift(4, -1, 6);
  const Interpretation r = interpret(expand(p, 4), by_cell);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t col = 0; col < n; ++col) {
      double sum = 0;
      for (std::size_t k = 0; k < depth; ++k)
        sum += by_cell("A", 0, static_cast<std::int64_t>(row * depth + k)) *
               by_cell("B", 0, static_cast<std::int64_t>(k * n + col));
      EXPECT_EQ(r.memory.at({"O", static_cast<SiteId>(row)})[row * n + col], sum);
    }
  }
}

TEST(Interpret, CellsNeverWrittenAreNotNumbers) {
  const Program p = all_to_all(4, 4);
  const Interpretation r = interpret(expand(p, 4), by_site);
  EXPECT_TRUE(std::isnan(r.memory.at({"x", 1})[3])) << "x[0,3] never passes rank 1";
  EXPECT_EQ(r.memory.at({"x", 1})[1], 101) << "x[0,1] came from rank 0";
}

TEST(Interpret, RefusesKernelsWithoutNumbersByName) {
  Program p = reduce_tree({0, 0});
  p.tasks[1].kernel.op = "topk";
  EXPECT_THROW(
      {
        try {
          interpret(expand(p, 4), by_site);
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find("task a1: the kernel topk has no numbers"), std::string::npos)
              << error.what();
          throw;
        }
      },
      Error);
}

}  // namespace
}  // namespace weft::test
