// Does the flow engine obey the closed forms that everybody can check by hand?
#include <gtest/gtest.h>

#include "support/flat_machine.hpp"
#include "weft/core/error.hpp"
#include "weft/program/builder.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::simulate {
namespace {

using namespace program;  // NOLINT(google-build-using-namespace): the Builder's vocabulary

Tick end_of(const Program& p, const machine::Machine& m, bool fold = true) {
  Options o;
  o.fold = fold;
  return flow(expand(p, m.sites()), m, o).end;
}

/// One move of `bytes` between two sites, with whatever else the caller says.
Program one_move(std::int64_t bytes) {
  Builder b("one move");
  const auto s = b.space("s", {2});
  const auto x = b.tensor("x", {1}, Bytes{bytes});
  b.move("m").what(b.chunk(x)).from(s, {one(0)}).to(s, {one(1)});
  return b.take();
}

TEST(FlowLaw, AMoveTakesItsSizeOnceOnTheSlowestLinkPlusAllLatencies) {
  test::FlatMachine m(2, 3, 1e12);
  m.link(0, 2, m.link_class_of("fast", 100e9, 3e-9));
  m.link(2, 1, m.link_class_of("slow", 10e9, 5e-9));
  EXPECT_EQ(end_of(one_move(1000), m), 100'000 + 8'000);  // 100 ns + 8 ns in picoseconds
}

TEST(FlowLaw, FramesAreWholeAndHoldTheLink) {
  test::FlatMachine m(2, 2, 1e9);
  m.link(0, 1, m.link_class_of("framed", 4096.0 / 344e-9, 0, 4096));
  EXPECT_EQ(end_of(one_move(4096), m), 344);
  EXPECT_EQ(end_of(one_move(4097), m), 688);
}

TEST(FlowLaw, AMemoryPortLimitsLikeALink) {
  test::FlatMachine m = test::hub(2, 100e9, 0, 1e12);
  m.tier_bandwidth(10e9);
  EXPECT_EQ(end_of(one_move(1000), m), 100'000);
}

TEST(FlowLaw, ATransportCostsItsStartAndItsEfficiency) {
  test::FlatMachine m = test::hub(2, 10e9, 1e-9, 1e12);
  machine::Transport t;
  t.name = "simple";
  t.start = Seconds{2e-9};
  t.efficiency = 0.5;
  m.transport(t);
  Program p = one_move(1000);
  EXPECT_EQ(end_of(p, m), 2'000 + 200'000 + 2'000);
}

TEST(FlowLaw, IncastSharesTheOnePort) {
  const std::uint32_t n = 9;
  Builder b("incast");
  const auto s = b.space("s", {n});
  const auto x = b.tensor("x", {n}, Bytes{9000});
  const auto j = b.var("j");
  b.move("m").over(j, 1, n).what(b.chunk(x, {one(var(j))})).from(s, {one(var(j))}).to(s, {one(0)});
  EXPECT_EQ(end_of(b.take(), test::hub(n, 1e9, 5e-9)), 8 * 1000 + 10);
}

TEST(FlowLaw, AShiftUsesEveryPortOnce) {
  const std::int64_t n = 8;
  Builder b("shift");
  const auto s = b.space("s", {n});
  const auto x = b.tensor("x", {n}, Bytes{8000});
  const auto j = b.var("j");
  b.move("m").over(j, 0, n).what(b.chunk(x, {one(var(j))})).from(s, {one(var(j))}).to(s, {one(mod(var(j) + 3, n))});
  EXPECT_EQ(end_of(b.take(), test::hub(n, 1e9, 0)), 1000);
}

TEST(FlowLaw, AllTimesChangeExactlyWhenAFlowArrives) {
  // m0 alone for 500 ticks (500 B), then both share: m1's 400 B end at 500 + 800; m0 has 100 B left then: 1400 in all.
  Builder b("join");
  const auto s = b.space("s", {2});
  const auto x = b.tensor("x", {14}, Bytes{1400});
  b.compute("wait", "pause", DType::f32).at(s, {one(0)}).dim("ticks", 500);
  b.move("m0").what(b.chunk(x, {range(0, 10)})).from(s, {one(0)}).to(s, {one(1)});
  b.move("m1").what(b.chunk(x, {range(10, 4)})).from(s, {one(0)}).to(s, {one(1)}).after("wait");
  const Program p = b.take();
  const test::FlatMachine m = test::hub(2, 1e9, 0);
  const Timeline t = flow(expand(p, 2), m);
  EXPECT_EQ(t.spans[1].end, 1400);
  EXPECT_EQ(t.spans[2].end, 1300);
}

TEST(FlowLaw, WeightsDecideShares) {
  Builder b("weights");
  const auto s = b.space("s", {3});
  const auto x = b.tensor("x", {4}, Bytes{4000});
  b.move("a").what(b.chunk(x, {range(0, 3)})).from(s, {one(0)}).to(s, {one(2)}).weight(3);
  b.move("b").what(b.chunk(x, {one(3)})).from(s, {one(1)}).to(s, {one(2)});
  const Timeline t = flow(expand(b.take(), 3), test::hub(3, 1e9, 0));
  EXPECT_EQ(t.spans[0].end, 4000);
  EXPECT_EQ(t.spans[1].end, 4000);
}

TEST(FlowLaw, ALaneIsAQueueAndOtherLanesShare) {
  Builder b("lanes");
  const auto s = b.space("s", {2});
  const auto x = b.tensor("x", {3}, Bytes{3000});
  for (int k = 0; k < 3; ++k) {
    b.move("m" + std::to_string(k)).what(b.chunk(x, {one(k)})).from(s, {one(0)}).to(s, {one(1)}).lane(k == 2 ? 1 : 0);
  }
  const Timeline t = flow(expand(b.take(), 2), test::hub(2, 1e9, 7e-9));
  EXPECT_EQ(t.spans[0].end, 2014);  // shares with m2
  EXPECT_EQ(t.spans[2].end, 2014);
  EXPECT_EQ(t.spans[1].end, 2000 + 1000 + 14);  // its head stood at the first link: no second latency of the way there
}

TEST(FlowLaw, RingAllReduceHasItsTextbookTime) {
  const std::int64_t n = 8, piece = 1000;
  Builder b("ring");
  const auto s = b.space("s", {n});
  const auto x = b.tensor("x", {n}, Bytes{n * piece});
  const auto in = b.buffer("in", x);
  const auto j = b.var("j");
  b.repeat(n - 1, "r", [&](VarId r) {
    const auto c = mod(var(j) - var(r), n);
    b.move("m")
        .over(j, 0, n)
        .what(b.chunk(x, {one(c)}))
        .into(in)
        .from(s, {one(var(j))})
        .to(s, {one(mod(var(j) + 1, n))})
        .after("a", 1);
    b.compute("a", "pause", DType::f32).over(j, 0, n).at(s, {one(var(j))}).after("m");
  });
  b.repeat(n - 1, "r", [&](VarId r) {
    const auto c = mod(var(j) - var(r) + 1, n);
    b.move("g")
        .over(j, 0, n)
        .what(b.chunk(x, {one(c)}))
        .from(s, {one(var(j))})
        .to(s, {one(mod(var(j) + 1, n))})
        .after("a")
        .after("g", 1);
  });
  EXPECT_EQ(end_of(b.take(), test::hub(n, 1e9, 5e-9)), 2 * (n - 1) * (piece + 10));
}

TEST(FlowLaw, BisectionLimitsWhatCrossesIt) {
  test::FlatMachine m(8, 10, 1e9);  // two hubs of four, joined by one link each way
  const auto port = m.link_class_of("port", 1e9, 0);
  const auto middle = m.link_class_of("middle", 2e9, 0);
  for (std::uint32_t k = 0; k < 8; ++k) m.both(k, 8 + k / 4, port);
  m.both(8, 9, middle);
  Builder b("across");
  const auto s = b.space("s", {8});
  const auto x = b.tensor("x", {4}, Bytes{4000});
  const auto j = b.var("j");
  b.move("m").over(j, 0, 4).what(b.chunk(x, {one(var(j))})).from(s, {one(var(j))}).to(s, {one(var(j) + 4)});
  EXPECT_EQ(end_of(b.take(), m), 2000);
}

TEST(FlowLaw, ComputesShareASiteInOrderOfReadinessThenNumber) {
  Builder b("site");
  const auto s = b.space("s", {1});
  b.compute("a", "pause", DType::f32).at(s, {one(0)}).dim("ticks", 10);
  b.compute("late", "pause", DType::f32).at(s, {one(0)}).dim("ticks", 1).after("a");
  b.compute("b", "pause", DType::f32).at(s, {one(0)}).dim("ticks", 5);
  const Timeline t = flow(expand(b.take(), 1), test::hub(2, 1e9, 0));
  EXPECT_EQ(t.spans[0].end, 10);
  EXPECT_EQ(t.spans[2].end, 15);  // ready at 0, before `late`
  EXPECT_EQ(t.spans[1].end, 16);
}

TEST(FlowLaw, ADoubleBufferOverlapsAndASingleOneDoesToo) {
  // 10 grains of 100 B at 1 B a tick into a kernel of 2 ticks a byte: the kernel's 2000 ticks after the first grain's 100.
  for (const std::int64_t window : {0, 1, 2}) {
    Builder b("window");
    const auto s = b.space("s", {2});
    const auto x = b.tensor("x", {1000}, DType::u8);
    b.move("m").what(b.chunk(x)).from(s, {one(0)}).to(s, {one(1)});
    b.compute("c", "pause", DType::f32)
        .at(s, {one(1)})
        .dim("ticks", 2000)
        .reads(b.chunk(x))
        .streams("m", Bytes{100}, window);
    const Timeline t = flow(expand(b.take(), 2), test::hub(2, 1e9, 0));
    EXPECT_EQ(t.spans[1].end, 2100) << window;
    EXPECT_EQ(t.spans[0].end, window == 0 ? 1000 : 2000 - 100 * (2 * window - 1)) << window;  // held back by the reader
  }
}

TEST(FlowLaw, AMoveThatIsHeldBackDrawsNothing) {
  // m is stopped by its slow reader; n, on the same port, gets all the rest.
  Builder b("held");
  const auto s = b.space("s", {3});
  const auto x = b.tensor("x", {2000}, DType::u8);
  b.move("m").what(b.chunk(x, {range(0, 1000)})).from(s, {one(0)}).to(s, {one(1)});
  b.compute("c", "pause", DType::f32)
      .at(s, {one(1)})
      .dim("ticks", 100'000)
      .reads(b.chunk(x, {range(0, 1000)}))
      .streams("m", Bytes{100}, 1);
  b.move("n").what(b.chunk(x, {range(1000, 1000)})).from(s, {one(0)}).to(s, {one(2)});
  const Timeline t = flow(expand(b.take(), 3), test::hub(3, 1e9, 0));
  EXPECT_LE(t.spans[2].end, 1300);
  EXPECT_GE(t.spans[2].end, 1100);
}

TEST(FlowLaw, AMachineWithoutOverlapDoesOneThingAtATime) {
  Builder b("exclusive");
  const auto s = b.space("s", {2});
  const auto x = b.tensor("x", {1}, Bytes{100});
  b.compute("c", "pause", DType::f32).at(s, {one(1)}).dim("ticks", 30);
  b.move("m").what(b.chunk(x)).from(s, {one(0)}).to(s, {one(1)});
  b.compute("d", "pause", DType::f32).at(s, {one(0)}).dim("ticks", 7).after("m");
  const Program p = b.take();
  test::FlatMachine m = test::hub(2, 1e9, 0);
  EXPECT_EQ(end_of(p, m), 107);
  m.overlap(false);
  EXPECT_EQ(end_of(p, m), 137);
}

TEST(FlowFault, NoWayBetweenTwoSitesIsInfeasibleAndNamesBoth) {
  test::FlatMachine m(2, 2, 1e9);
  try {
    end_of(one_move(10), m);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::infeasible);
    EXPECT_NE(std::string(e.what()).find("no way from core[0] to core[1]"), std::string::npos);
  }
}

}  // namespace
}  // namespace weft::simulate
