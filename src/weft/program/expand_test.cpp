#include "weft/program/expand.hpp"

#include <gtest/gtest.h>

#include "weft/core/error.hpp"
#include "weft/program/expand_bind.hpp"
#include "weft/program/goals.hpp"
#include "weft/program/verify_cases.hpp"

namespace weft::test {
namespace {

using program::all;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Pairs pairs(const Expansion& e, InstanceId b, std::size_t edge) {
  Pairs out;
  for_each_binding(e, b, e.edges_of(e.instances[b])[edge], 64,
                   [&](std::uint32_t x, std::uint32_t y) { out.emplace_back(x, y); });
  return out;
}

/// The text of the error that expansion throws.
std::string refusal(const Program& p, std::uint32_t sites = 8) {
  try {
    expand(p, sites);
  } catch (const Error& error) {
    return error.what();
  }
  return "expanded";
}

TEST(Expand, AllToAllHasAMoveForEveryOrderedPairOfRanks) {
  const Program p = all_to_all(8, 8);
  const Expansion e = expand(p, 8);
  EXPECT_EQ(e.instances.size(), 7u);
  EXPECT_EQ(e.members.size(), 56u);
  EXPECT_EQ(e.members[0].src, 0u);
  EXPECT_EQ(e.members[0].dst, 1u);
  EXPECT_EQ(e.members[0].bytes, 16);
  EXPECT_EQ(e.members[55].dst, 6u);  // rank 7 in the last round: (7 + 6 + 1) % 8
}

TEST(Expand, AnEdgeOfAnEarlierRoundIsEmptyInTheFirst) {
  const Program p = all_to_all(4, 4);
  const Expansion e = expand(p, 4);
  EXPECT_EQ(e.instances[0].edges, 0u);
  ASSERT_EQ(e.instances[1].edges, 1u);
  EXPECT_EQ(e.edges_of(e.instances[1])[0].on, 0u);
}

TEST(Expand, AfterBindsMembersThatShareASite) {
  Builder b("shift");
  const SpaceId pe = b.space("pe", {4});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const BufferId in = b.buffer("in", x);
  const Lin j = var(b.var("j"));
  b.move("m").what(Builder::chunk(x, {one(j)})).into(in).from(pe, {one(j)}).to(pe, {one(mod(j + 1, 4))});
  b.compute("a", "add", DType::f32)
      .reads(Builder::chunk(in, {one(mod(j - 1, 4))}))
      .adds(Builder::chunk(x, {one(mod(j - 1, 4))}))
      .at(pe, {one(j)})
      .after("m");
  b.compute("c", "add", DType::f32)
      .reads(Builder::chunk(in, {one(mod(j - 1, 4))}))
      .adds(Builder::chunk(x, {one(mod(j - 1, 4))}))
      .at(pe, {one(j)})
      .streams("m", Bytes(4), 1);
  const Program p = b.take();
  const Expansion e = expand(p, 4);
  // member 4 + j of `a` runs at j: it waits for the move that leaves j and for the one that arrives there
  EXPECT_EQ(pairs(e, 1, 0), (Pairs{{4, 0}, {4, 3}, {5, 0}, {5, 1}, {6, 1}, {6, 2}, {7, 2}, {7, 3}}));
  // a stream follows what arrives
  EXPECT_EQ(pairs(e, 2, 0), (Pairs{{8, 3}, {9, 0}, {10, 1}, {11, 2}}));
}

TEST(Expand, FromOutsideANameMeansTheLastRoundOfItsRepeat) {
  const Program p = compute_shift(8);
  const Expansion e = expand(p, 8);
  ASSERT_EQ(e.instances.size(), 22u);
  const Instance& z = e.instances[21];
  ASSERT_EQ(z.edges, 1u);
  EXPECT_EQ(e.edges_of(z)[0].on, 20u);
  EXPECT_TRUE(e.edges_of(z)[0].all) << "an edge to a barrier binds every member";
  std::vector<std::int64_t> env(p.vars.size());
  e.environment(e.instances[3], e.of(e.instances[3])[5], env.data());
  EXPECT_EQ(e.members[e.instances[3].first + 5].src, 5u);
}

TEST(Expand, AMoveToTheSameMemoryDoesNotExist) {
  Builder b("self");
  const SpaceId pe = b.space("pe", {4});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const BufferId in = b.buffer("in", x);
  const Lin j = var(b.var("j"));
  b.move("m").what(Builder::chunk(x)).from(pe, {one(j)}).to(pe, {one(flip(j, 0))});
  b.move("n").what(Builder::chunk(x)).into(in).from(pe, {one(j)}).to(pe, {one(j)});
  const Program p = b.take();
  const Expansion e = expand(p, 4);
  EXPECT_EQ(e.instances[0].count, 0u);
  EXPECT_EQ(e.instances[1].count, 4u) << "another buffer of the site is another memory";
}

TEST(Expand, ATableGivesAMemberARow) {
  Builder b("table");
  const SpaceId pe = b.space("pe", {2, 2});
  const TensorId x = b.tensor("x", {4, 10}, DType::f32);
  const TableId d = b.table("d", pe, {{0, 1, 0, 0, 3}, {2, 2, 2, 0, 4}, {3, 0, 3, 5, 5}, {1, 3, 1, 0, 0}});
  b.move("m").what(Builder::chunk(x)).by(d).from(pe, {all(), all()}).to(pe, {all(), all()});
  const Program p = b.take();
  const Expansion e = expand(p, 4);
  ASSERT_EQ(e.members.size(), 2u) << "rows to the same memory and empty rows do not exist";
  EXPECT_EQ(e.members[0].bytes, 12);
  EXPECT_EQ(e.members[1].ordinal, 2u);
  EXPECT_EQ(e.members[1].src, 3u);
  EXPECT_EQ(e.members[1].bytes, 20);
}

TEST(Expand, CallsBindTheirFirstTasksAndAreNamedByTheirLast) {
  Builder b("layers");
  const SpaceId pe = b.space("pe", {2});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const BufferId in = b.buffer("in", x);
  const VarId l = b.var("l");
  const std::uint32_t block = b.block("layer", {l}, {}, [&] {
    b.move("m").what(Builder::chunk(x, {one(var(l))})).into(in).from(pe, {one(0)}).to(pe, {one(1)});
    b.compute("a", "add", DType::f32)
        .reads(Builder::chunk(in, {one(var(l))}))
        .adds(Builder::chunk(x, {one(var(l))}))
        .at(pe, {one(1)})
        .after("m");
  });
  b.repeat(3, "i", [&](VarId i) { b.call(block, "L", {var(i)}, {{"L", 1, false}}); });
  const Program p = b.take();
  const Expansion e = expand(p, 2);
  ASSERT_EQ(e.instances.size(), 6u);
  EXPECT_EQ(e.instances[0].edges, 0u);
  ASSERT_EQ(e.instances[2].edges, 1u);
  EXPECT_EQ(e.edges_of(e.instances[2])[0].on, 1u) << "the first task waits for the last of the call before";
  EXPECT_EQ(e.call_ends.size(), 3u);
  EXPECT_EQ(e.call_ends[2].after, 6u);
  EXPECT_EQ(e.instances[5].call, 2u);
}

TEST(Expand, MembersBySiteFindsFewMembersAmongManySites) {
  Builder b("far");
  const SpaceId pe = b.space("pe", {100000});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const Lin j = var(b.var("j"));
  b.move("m").what(Builder::chunk(x)).from(pe, {one(50000 * j)}).to(pe, {one(50000 * j + 7)}).over(b.var("j"), 0, 2);
  const Program p = b.take();
  const Expansion e = expand(p, 100000);
  const MembersBySite by(e, 0, 100000, MembersBySite::End::any);
  EXPECT_EQ(by.at(50007).size(), 1u);
  EXPECT_EQ(by.at(50007)[0], 1u);
  EXPECT_TRUE(by.at(3).empty());
  EXPECT_TRUE(by.at(99999).empty());
}

TEST(Expand, RefusesSitesThatTheMachineLacks) {
  EXPECT_NE(refusal(all_to_all(16, 16)).find("reach to site 15, and the machine has 8"), std::string::npos)
      << refusal(all_to_all(16, 16));
}

TEST(Expand, RefusesAnEdgeThatBindsNothing) {
  Builder b("nothing");
  const SpaceId pe = b.space("pe", {8});
  const TensorId x = b.tensor("x", {8}, DType::f32);
  const Lin j = var(b.var("j"));
  b.compute("low", "copy", DType::f32).writes(Builder::chunk(x)).at(pe, {one(j)}).over(b.var("j"), 0, 4);
  b.compute("high", "copy", DType::f32).writes(Builder::chunk(x)).at(pe, {one(j)}).over(b.var("j"), 4, 8).after("low");
  const std::string text = refusal(b.take());
  EXPECT_NE(text.find("high: its edge to low binds nothing"), std::string::npos) << text;
}

TEST(Expand, RefusesIndicesOutsideTheirSpaceOrTensor) {
  const auto spoiled = [](std::int64_t site, std::int64_t cell) {
    Builder b("outside");
    const SpaceId pe = b.space("pe", {8});
    const TensorId x = b.tensor("x", {4}, DType::f32);
    const Lin j = var(b.var("j"));
    b.move("m").what(Builder::chunk(x, {one(cell)})).from(pe, {one(j)}).to(pe, {one(j + site)}).over(b.var("j"), 0, 7);
    return refusal(b.take());
  };
  EXPECT_EQ(spoiled(1, 3), "expanded");
  EXPECT_NE(spoiled(2, 3).find("m: index 8 of axis 0 lies outside pe, which has 8"), std::string::npos)
      << spoiled(2, 3);
  EXPECT_NE(spoiled(1, 4).find("m: index 4 of axis 0 lies outside x, which has 4"), std::string::npos) << spoiled(1, 4);
}

TEST(Expand, RefusesABoxOfTheWrongRank) {
  Builder b("rank");
  const SpaceId pe = b.space("pe", {2});
  const TensorId x = b.tensor("x", {4, 4}, DType::f32);
  b.move("m").what(Builder::chunk(x, {one(1)})).from(pe, {one(0)}).to(pe, {one(1)});
  const std::string text = refusal(b.take());
  EXPECT_NE(text.find("x has 2 axes, the index names 1"), std::string::npos) << text;
}

TEST(Expand, RefusesAnEdgeToALaterOrUnknownTask) {
  Program p = reduce_tree({0, 0});
  p.tasks[0].edges.push_back({Edge::Kind::after, 1, false, 0, Bytes(0), 0, 12, false});
  EXPECT_NE(refusal(p).find("line 12: its edge names a1, which comes later in the list"), std::string::npos)
      << refusal(p);
  p.tasks[0].edges.back().on = 99;
  EXPECT_NE(refusal(p).find("names an unknown task"), std::string::npos) << refusal(p);
}

TEST(Goals, StandardOperationsRequireWhatTheirNamesSay) {
  Program p = all_to_all(4, 4);
  const std::vector<std::int64_t> env(p.vars.size(), 0);
  std::vector<Requirement> needs;
  for_each_requirement(p, p.goals[0], env.data(), [&](const Requirement& r) { needs.push_back(r); });
  ASSERT_EQ(needs.size(), 4u);
  EXPECT_EQ(needs[2].site, 2u);
  EXPECT_EQ(needs[2].boxes[0].lo, (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(needs[2].boxes[0].hi, (std::vector<std::int64_t>{4, 3}));
  EXPECT_EQ(operation_size(p, p.goals[0]), Bytes(64)) << "one rank's buffer";
  p.goals[0].kind = GoalKind::reduce_scatter;
  needs.clear();
  for_each_requirement(p, p.goals[0], env.data(), [&](const Requirement& r) { needs.push_back(r); });
  EXPECT_TRUE(needs[1].sum);
  EXPECT_EQ(needs[1].boxes[0].volume(), 4);
  EXPECT_EQ(operation_size(p, p.goals[0]), Bytes(256)) << "what a rank puts in";
}

}  // namespace
}  // namespace weft::test
