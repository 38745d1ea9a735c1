// Does the explanation account for every tick, blame the right thing, and foretell what faster parts give?
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "support/flat_machine.hpp"
#include "weft/explain/explain.hpp"
#include "weft/program/builder.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::explain {
namespace {

using namespace program;  // NOLINT(google-build-using-namespace): the Builder's vocabulary

struct Explained {
  Program program;
  Expansion expansion;
  Timeline timeline;
  Explanation explanation;
};

std::unique_ptr<Explained> run(Program p, const machine::Machine& m) {
  auto x = std::make_unique<Explained>();
  x->program = std::move(p);
  x->expansion = expand(x->program, m.sites());
  x->timeline = simulate::flow(x->expansion, m);
  x->explanation = explain(x->timeline, x->expansion, m);
  return x;
}

Tick charged(const Explanation& e) {
  return std::accumulate(e.charges.begin(), e.charges.end(), Tick{0},
                         [](Tick sum, const Charge& c) { return sum + c.ticks; });
}

Tick charge(const Explanation& e, const std::string& what) {
  for (const Charge& c : e.charges) {
    if (c.what == what) return c.ticks;
  }
  return 0;
}

/// 500 ticks of work at site 0, then 1000 B at 10 B a tick to site 1 (latency 3 + 3), then 40 ticks of work there.
Program work_move_work() {
  Builder b("work, move, work");
  const auto s = b.space("s", {2});
  const auto x = b.tensor("x", {1}, Bytes{1000});
  b.compute("first", "copy", DType::u8).at(s, {one(0)}).dim("ticks", 500).writes(b.chunk(x)).tag("before");
  b.move("m").what(b.chunk(x)).from(s, {one(0)}).to(s, {one(1)}).after("first").tag("exchange");
  b.compute("last", "copy", DType::u8).at(s, {one(1)}).dim("ticks", 40).reads(b.chunk(x)).after("m").tag("behind");
  return b.take();
}

TEST(Explain, EveryTickIsChargedToWhatTookIt) {
  const auto x = run(work_move_work(), test::hub(2, 10e9, 3e-9));
  EXPECT_EQ(x->timeline.end, 500 + 100 + 6 + 40);
  EXPECT_EQ(charged(x->explanation), x->timeline.end);
  EXPECT_EQ(charge(x->explanation, "port"), 100);
  EXPECT_EQ(charge(x->explanation, "latency"), 6);
  EXPECT_EQ(charge(x->explanation, "core compute"), 540);
}

TEST(Explain, TagsStandInTheOrderOfTheirStartWithTheirExposedTime) {
  const auto x = run(work_move_work(), test::hub(2, 10e9, 3e-9));
  ASSERT_EQ(x->explanation.tags.size(), 3U);
  EXPECT_EQ(x->explanation.tags[0].tag, "before");
  EXPECT_EQ(x->explanation.tags[1].tag, "exchange");
  EXPECT_EQ(x->explanation.tags[1].exposed, 106);
  EXPECT_EQ(x->explanation.tags[2].exposed, 40);
}

TEST(Explain, TheGainOfAFasterPartIsThatOfSimulatingWithIt) {
  const auto x = run(work_move_work(), test::hub(2, 10e9, 3e-9));
  ASSERT_FALSE(x->explanation.limits.empty());
  const Limit& first = x->explanation.limits.front();
  EXPECT_EQ(first.resource, "core compute");
  EXPECT_NEAR(first.gain, (540 - 540 / 1.1) / 646, 2.0 / 646);
  EXPECT_NEAR(first.share, 540.0 / 646, 1e-12);
}

TEST(Explain, WhatOverlapsIsNotExposed) {
  Builder b("hidden");
  const auto s = b.space("s", {2});
  const auto x = b.tensor("x", {1}, Bytes{1000});
  const auto y = b.tensor("y", {1}, Bytes{8});
  b.compute("long", "copy", DType::u8).at(s, {one(0)}).dim("ticks", 5000).writes(b.chunk(y)).tag("work");
  b.move("m").what(b.chunk(x)).from(s, {one(0)}).to(s, {one(1)}).tag("exchange");
  const auto e = run(b.take(), test::hub(2, 10e9, 3e-9));
  ASSERT_EQ(e->explanation.tags.size(), 2U);
  for (const TagTime& tag : e->explanation.tags) EXPECT_EQ(tag.exposed, tag.tag == "work" ? 5000 : 0);
  for (const TagTime& tag : e->explanation.tags) EXPECT_EQ(tag.time, tag.tag == "work" ? 5000 : 106);
}

TEST(Explain, AStreamedChainAddsUpToItsEnd) {
  Builder b("chain");
  const auto pe = b.space("pe", {4});
  const auto x = b.tensor("x", {64}, DType::f32);
  const auto in = b.buffer("in", x);
  std::string before;
  for (int k = 3; k >= 1; --k) {
    const std::string m = "m" + std::to_string(k);
    const std::string a = "a" + std::to_string(k - 1);
    {
      auto move = b.move(m);
      move.what(b.chunk(x)).from(pe, {one(k)}).to(pe, {one(k - 1)}).into(in).lane(k % 2);
      if (!before.empty()) move.streams(before, Bytes{4}, 1);
    }
    b.compute(a, "add", DType::f32).at(pe, {one(k - 1)}).reads(b.chunk(in)).adds(b.chunk(x)).streams(m, Bytes{4}, 1);
    before = a;
  }
  const auto e = run(b.take(), test::wafer_row(4));
  EXPECT_EQ(e->timeline.end, 81);
  EXPECT_EQ(charged(e->explanation), 81);
}

}  // namespace
}  // namespace weft::explain
