#include "weft/core/suggest.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Suggest, CountsHalfEdits) {
  EXPECT_EQ(edit_distance("ring", "ring"), 0);
  EXPECT_EQ(edit_distance("ring", "Ring"), 1);
  EXPECT_EQ(edit_distance("rnig", "ring"), 2);
  EXPECT_EQ(edit_distance("", "abc"), 6);
}

TEST(Suggest, FindsSlipsOfTheFinger) {
  EXPECT_EQ(nearest("rign", {"tree", "ring", "bruck"}), "ring");
  EXPECT_EQ(nearest("dgxh100", {"dgx-a100", "dgx-h100"}), "dgx-h100");
  EXPECT_EQ(nearest("mixtral", {"mixtral-8x7b", "llama2-7b"}), "mixtral-8x7b");
}

TEST(Suggest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest("banana", {"tree", "ring"}), "");
  EXPECT_EQ(nearest("", {"tree", "ring"}), "");
}

TEST(Suggest, CutsLongLists) {
  EXPECT_EQ(did_you_mean("rign", {"ring", "tree"}), "did you mean 'ring'? (allowed: ring, tree)");
  EXPECT_EQ(did_you_mean("zzzzzz", {"a", "b", "c"}, 2), "allowed: a, b, and 1 more");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace weft
