// Which part of an input may make which part of an output?
#include "weft/program/verify_parts.hpp"

#include <gtest/gtest.h>

namespace weft::program {
namespace {

using Box = std::vector<std::int64_t>;

/// Does a task that reads `in` of `whole_in` and writes `out` of `whole_out` take the right part?
bool fits(const Box& in, const Box& whole_in, const Box& out, const Box& whole_out) {
  std::vector<Part> input, output;
  return parts_of(in, whole_in, input) && parts_of(out, whole_out, output) && parts_correspond(input, output);
}

TEST(Parts, TheSameSliceOfTwoAxesOfDifferentLength) {
  EXPECT_TRUE(fits({0, 4, 6, 12}, {0, 4, 0, 24}, {0, 4, 2, 4}, {0, 4, 0, 8}));
  EXPECT_FALSE(fits({0, 4, 6, 12}, {0, 4, 0, 24}, {0, 4, 0, 2}, {0, 4, 0, 8})) << "another slice";
  EXPECT_FALSE(fits({0, 4, 6, 9}, {0, 4, 0, 24}, {0, 4, 2, 4}, {0, 4, 0, 8})) << "half of the slice";
}

TEST(Parts, WhatIsNotSplitIsReadWhole) {
  EXPECT_TRUE(fits({0, 24}, {0, 24}, {2, 4}, {0, 8}));
  EXPECT_FALSE(fits({0, 12}, {0, 24}, {0, 8}, {0, 8}));
}

TEST(Parts, AnotherRowIsAnotherPart) {
  EXPECT_TRUE(fits({3, 4, 0, 8}, {0, 4, 0, 8}, {3, 4, 0, 8}, {0, 4, 0, 8}));
  EXPECT_FALSE(fits({2, 3, 0, 8}, {0, 4, 0, 8}, {3, 4, 0, 8}, {0, 4, 0, 8}));
}

TEST(Parts, AGroupAndARankInItMakeARank) {
  // rank 5 of 8 is rank 1 of group 1, four to a group
  EXPECT_TRUE(fits({1, 2, 1, 2}, {0, 2, 0, 4}, {5, 6}, {0, 8}));
  EXPECT_TRUE(fits({5, 6}, {0, 8}, {1, 2, 1, 2}, {0, 2, 0, 4}));
  EXPECT_FALSE(fits({0, 1, 1, 2}, {0, 2, 0, 4}, {5, 6}, {0, 8}));
}

TEST(Parts, OneAxisOfTheOutputServesOneOfTheInput) {
  EXPECT_FALSE(fits({1, 2, 1, 2}, {0, 4, 0, 4}, {1, 2}, {0, 4})) << "its own row of its own column is not its column";
}

TEST(Parts, OutsideOfWhatTheMeaningReads) {
  EXPECT_FALSE(fits({1, 2, 0, 8}, {0, 1, 0, 8}, {0, 4}, {0, 4}));
}

}  // namespace
}  // namespace weft::program
