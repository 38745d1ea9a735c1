// The Builder: what it resolves and derives, and that a writer's mistakes are told at once and by name.
#include "weft/program/builder.hpp"

#include <gtest/gtest.h>

#include "weft/core/error.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/text.hpp"

namespace weft::program {
namespace {

/// Message of the internal error that a writer's mistake raises; empty: none was raised.
template <class Write>
std::string mistake(Write&& write) {
  try {
    write();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    const std::string& message = error.diagnostics().front().message;
    return message.substr(0, message.find(" (in "));  // the place in the source follows
  }
  return "";
}

TEST(BuilderLaw, IndexArithmeticIsThatOfIntegers) {
  Builder b("lin");
  const Lin i = var(b.var("i")), j = var(b.var("j"));
  for (std::int64_t x = -3; x < 4; ++x) {
    for (std::int64_t y = -3; y < 4; ++y) {
      const std::int64_t env[] = {x, y};
      EXPECT_EQ((2 * i + 3 - j).e.eval(env), 2 * x + 3 - y);
      EXPECT_EQ((i - i).e.eval(env), 0);
      EXPECT_EQ((i + j).e.eval(env), (j + i).e.eval(env));
      EXPECT_EQ((3 * (i - 2 * j)).e.eval(env), 3 * x - 6 * y);
      EXPECT_EQ(mod(i + j, 4).e.eval(env), ((x + y) % 4 + 4) % 4) << "never negative";
      EXPECT_EQ(mod(flip(i + 3, 2), 8).e.eval(env), (((x + 3) ^ 2) % 8 + 8) % 8) << "exclusive or, then the modulo";
    }
  }
}

TEST(BuilderLaw, OneNameIsOneVariable) {
  Builder b("vars");
  EXPECT_EQ(b.var("i"), b.var("i"));
  EXPECT_NE(b.var("i"), b.var("j"));
}

TEST(BuilderLaw, TensorsAndBuffersMayBeDeclaredInAnyOrder) {
  Builder b("buffers");
  const SpaceId s = b.space("s", {2});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const BufferId in = b.buffer("in", x, "hbm");
  const TensorId y = b.tensor("y", {4}, DType::f32);
  b.move("m").what(Builder::chunk(x)).into(in).from(s, {one(0)}).to(s, {one(1)});
  b.move("n").what(Builder::chunk(y)).from(s, {one(0)}).to(s, {one(1)});
  const Program p = b.take();
  ASSERT_EQ(p.buffers.size(), 3U);
  EXPECT_EQ(p.buffers[p.tasks[0].into].name, "in");
  EXPECT_EQ(p.buffers[p.tasks[0].into].tier, "hbm");
  EXPECT_EQ(p.buffers[p.tasks[1].into].name, "y") << "a move without `into` keeps its buffer's name";
  EXPECT_EQ(p.buffers[1].name, "y") << "the tensors' own come first";
}

TEST(BuilderLaw, ALoneIndexRangesOverItsAxisUnlessOverSaysOtherwise) {
  Builder b("over");
  const SpaceId s = b.space("s", {5});
  const TensorId x = b.tensor("x", {5}, DType::f32);
  const Lin j = var(b.var("j"));
  b.move("all").what(Builder::chunk(x)).from(s, {one(j)}).to(s, {one(mod(j + 1, 5))});
  b.move("two").what(Builder::chunk(x)).from(s, {one(j)}).to(s, {one(mod(j + 1, 5))}).over(b.var("j"), 1, 3);
  b.compute("each", "pause", DType::f32).at(s, {all()});
  b.repeat(2, "i", [&](VarId i) { b.compute("one", "pause", DType::f32).at(s, {one(var(i))}); });
  const Program p = b.take();
  const Expansion e = expand(p, 5);
  ASSERT_EQ(e.instances.size(), 5U);
  EXPECT_EQ(e.instances[0].count, 5U);
  EXPECT_EQ(e.instances[1].count, 2U);
  EXPECT_EQ(e.instances[2].count, 5U) << "`all()` as the site of a compute is a set";
  EXPECT_EQ(e.instances[3].count, 1U) << "a counter of a repeat is no free index";
}

TEST(BuilderLaw, AnEdgeMayReachBackToATaskThatIsWrittenLater) {
  Builder b("back");
  const SpaceId s = b.space("s", {1});
  b.repeat(3, "i", [&](VarId) {
    b.compute("first", "pause", DType::f32).at(s, {one(0)}).after("second", 1);
    b.compute("second", "pause", DType::f32).at(s, {one(0)}).after("first");
  });
  const Program p = b.take();
  EXPECT_EQ(p.tasks[0].edges.at(0).on, 1U);
  const Expansion e = expand(p, 1);
  EXPECT_EQ(e.edges_of(e.instances[0]).size(), 0U) << "empty in the first round";
  ASSERT_EQ(e.edges_of(e.instances[2]).size(), 1U);
  EXPECT_EQ(e.edges_of(e.instances[2])[0].on, 1U);
}

TEST(BuilderLaw, NamesInABlockAreItsOwn) {
  Builder b("blocks");
  const SpaceId s = b.space("s", {1});
  b.compute("t", "pause", DType::f32).at(s, {one(0)});
  const std::uint32_t block =
      b.block("layer", {b.var("l")}, {}, [&] { b.compute("t", "pause", DType::f32).at(s, {one(0)}); });
  b.call(block, "L", {Lin(1)}, {{"t"}});
  b.compute("u", "pause", DType::f32).at(s, {one(0)}).after("L");
  const Program p = b.take();
  const Expansion e = expand(p, 1);
  ASSERT_EQ(e.instances.size(), 3U);
  EXPECT_EQ(e.edges_of(e.instances[1])[0].on, 0U) << "the call's edge binds to the block's first task";
  EXPECT_EQ(e.edges_of(e.instances[2])[0].on, 1U) << "waiting for a call is waiting for its last task";
}

TEST(BuilderLaw, TakingLeavesAnEmptyBuilder) {
  Builder b("once");
  b.space("s", {2});
  EXPECT_EQ(b.take().spaces.size(), 1U);
  EXPECT_TRUE(same(b.take(), Program{}));
}

TEST(BuilderMisuse, TwoTasksOfOneNameAreNamed) {
  Builder b("twice");
  const SpaceId s = b.space("s", {1});
  b.compute("t", "pause", DType::f32).at(s, {one(0)});
  EXPECT_EQ(mistake([&] { b.move("t"); }), "two tasks are called 't'");
  EXPECT_EQ(mistake([&] { b.barrier("t", Builder::at(s, {})); }), "two tasks are called 't'");
}

TEST(BuilderMisuse, AnEdgeToNothingIsNamedWithItsTask) {
  Builder b("dangling");
  const SpaceId s = b.space("s", {1});
  b.compute("t", "pause", DType::f32).at(s, {one(0)}).after("ghost", 1);
  EXPECT_EQ(mistake([&] { b.take(); }), "'t' waits for 'ghost', and nothing is called that");
  Builder c("dangling block");
  EXPECT_EQ(mistake([&] {
              c.block("layer", {}, {},
                      [&] { c.compute("t", "pause", DType::f32).at(c.space("s", {1}), {one(0)}).after("ghost"); });
            }),
            "'t' waits for 'ghost', and nothing is called that");
}

TEST(BuilderMisuse, AProgramIsNotTakenFromInsideABody) {
  Builder b("inside");
  std::string said;
  b.repeat(1, "i", [&](VarId) { said = mistake([&] { b.take(); }); });
  EXPECT_EQ(said, "a Program is taken while a block or repeat is open");
}

TEST(BuilderMisuse, AnErrorOnItsWayLeavesNoHalfTask) {
  Builder b("unwinding");
  const SpaceId s = b.space("s", {1});
  try {
    auto t = b.compute("t", "pause", DType::f32);
    t.at(s, {one(0)});
    throw 1;
  } catch (int) {
  }
  EXPECT_TRUE(b.program().tasks.empty());
}

}  // namespace
}  // namespace weft::program
