#include "weft/core/ids.hpp"

#include <gtest/gtest.h>

#include <unordered_set>
#include <vector>

namespace weft {
namespace {

using CatId = Id<struct CatTag>;

TEST(Ids, AreInvalidUntilSet) {
  EXPECT_FALSE(CatId().valid());
  EXPECT_EQ(CatId(), CatId::invalid());
  EXPECT_EQ(CatId(3).index(), 3U);
  EXPECT_LT(CatId(3), CatId(4));
}

TEST(Ids, HashIntoSets) {
  const std::unordered_set<CatId> cats{CatId(1), CatId(2), CatId(1)};
  EXPECT_EQ(cats.size(), 2U);
}

TEST(Ranges, AreHalfOpen) {
  std::vector<std::int64_t> seen;
  for (const std::int64_t i : Range{2, 5}) seen.push_back(i);
  EXPECT_EQ(seen, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_TRUE((Range{2, 5}.contains(2)));
  EXPECT_FALSE((Range{2, 5}.contains(5)));
  EXPECT_TRUE((Range{5, 2}.empty()));
  EXPECT_FALSE((Range{0, 2}.overlaps({2, 3})));
}

}  // namespace
}  // namespace weft
