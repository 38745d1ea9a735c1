#include "weft/program/verify.hpp"

#include <gtest/gtest.h>

#include "weft/program/verify_cases.hpp"

namespace weft::test {
namespace {

using program::all;

std::string verdict(const Program& p, const machine::Machine& m) {
  const Verdict v = verify(p, m);
  if (v.verified) return "verified";
  return v.faults[0].task + ": " + v.faults[0].what;
}
std::string verdict(const Program& p, std::uint32_t sites = 8) {
  return verdict(p, hub(sites, 1e9, 0));
}

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST(Verify, AcceptsTheStandardOperations) {
  EXPECT_EQ(verdict(reduce_tree({0, 0, 1, 2})), "verified");
  EXPECT_EQ(verdict(reduce_tree({0, 0, 0, 1, 1, 3})), "verified");
  EXPECT_EQ(verdict(ring_all_reduce(4)), "verified");
  EXPECT_EQ(verdict(all_to_all(8, 8)), "verified");
  EXPECT_EQ(verdict(compute_shift(8)), "verified");
}

TEST(Verify, CountsTasksAndRanks) {
  const Verdict v = verify(all_to_all(8, 8), hub(10, 1e9, 0));
  EXPECT_EQ(v.tasks_written, 1u);
  EXPECT_EQ(v.tasks_expanded, 56u);
  EXPECT_EQ(v.taking_part, 8u);
  EXPECT_EQ(v.of, 8u);
}

TEST(Verify, SaysWhenFewerRanksTakePartThanThereAre) {
  Builder b("corner left out");
  const SpaceId pe = b.space("pe", {4});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  b.start(Builder::chunk(x), Builder::at(pe, {range(0, 3)}));
  b.goal(GoalKind::reduce, x, Builder::at(pe, {range(0, 3)}), Builder::at(pe, {one(0)}));
  b.move("m2").what(Builder::chunk(x)).into(b.buffer("i2", x)).from(pe, {one(2)}).to(pe, {one(0)});
  b.move("m1").what(Builder::chunk(x)).into(b.buffer("i1", x)).from(pe, {one(1)}).to(pe, {one(0)});
  Program p = b.take();
  Task add;
  add.name = "a";
  add.kernel.op = "add";
  add.reads = {{p.tasks[0].into, {}, ChunkRef::By::box, kNone}, {p.tasks[1].into, {}, ChunkRef::By::box, kNone}};
  add.adds = {{x, {}, ChunkRef::By::box, kNone}};
  add.at = {pe, {one(0)}};
  add.edges = {{Edge::Kind::after, 0, false, 0, Bytes(0), 0, 0, false},
               {Edge::Kind::after, 1, false, 0, Bytes(0), 0, 0, false}};
  p.tasks.push_back(add);
  p.body.push_back({Item::Kind::task, 2});
  const Verdict v = verify(p, hub(4, 1e9, 0));
  EXPECT_TRUE(v.verified) << v.faults[0].what;
  EXPECT_EQ(v.taking_part, 3u);
  EXPECT_EQ(v.of, 4u);
}

/// Send once to a node, then forward: tables of rows between two nodes of two GPUs.
Program dispatch(std::uint32_t forwarded) {
  Builder b("dispatch");
  const SpaceId gpu = b.space("gpu", {4});
  const TensorId t = b.tensor("tokens", {4, 16}, Bytes(64 << 20));
  std::vector<Table::Row> wanted, nodes, onward, local;
  for (std::uint32_t g = 0; g < 4; ++g) {
    nodes.push_back({g, g ^ 2U, g, 0, 8});
    onward.push_back({g ^ 2U, g ^ 3U, g, 0, forwarded});
    local.push_back({g, g ^ 1U, g, 8, 4});
    wanted.insert(wanted.end(), {{g, g ^ 2U, g, 0, 8}, {g, g ^ 3U, g, 0, 4}, {g, g ^ 1U, g, 8, 4}});
  }
  const Lin j = var(b.var("j"));
  b.start(Builder::chunk(t, {one(j), all()}), Builder::at(gpu, {one(j)}), {{b.var("j"), 0, 4}});
  Goal goal;
  goal.kind = GoalKind::deliver;
  goal.buffer = t;
  goal.table = b.table("d", gpu, wanted);
  b.goal(goal);
  const SiteRef everyone = Builder::at(gpu, {all()});
  b.move("n")
      .what(Builder::chunk(t))
      .by(b.table("d.nodes", gpu, nodes))
      .from(gpu, everyone.axes)
      .to(gpu, everyone.axes);
  b.move("f")
      .what(Builder::chunk(t))
      .by(b.table("d.onward", gpu, onward))
      .from(gpu, everyone.axes)
      .to(gpu, everyone.axes)
      .streams("n", Bytes(1 << 20));
  b.move("l")
      .what(Builder::chunk(t))
      .by(b.table("d.local", gpu, local))
      .from(gpu, everyone.axes)
      .to(gpu, everyone.axes);
  return b.take();
}

TEST(Verify, FollowsTheRowsOfTables) {
  EXPECT_EQ(verdict(dispatch(4)), "verified");
  EXPECT_EQ(verdict(dispatch(3)), "goal: tokens[0,3] at gpu[3] is required, and nothing arrives there");
}

TEST(Verify, AddsWhatAFabricReducesAndCopiesWhatItMulticasts) {
  const auto program = [](std::int64_t ranks) {
    Builder b("in the network");
    const SpaceId gpu = b.space("gpu", {4});
    const TensorId x = b.tensor("x", {8}, DType::f32);
    b.start(Builder::chunk(x), Builder::at(gpu, {range(0, 4)}));
    b.goal(GoalKind::all_reduce, x, Builder::at(gpu, {all()}));
    b.move("r").what(Builder::chunk(x)).from(gpu, {range(0, ranks)}).to(gpu, {one(0)}).cast(Cast::reduce);
    b.move("b").what(Builder::chunk(x)).from(gpu, {one(0)}).to(gpu, {range(1, 3)}).cast(Cast::multicast).after("r");
    return b.take();
  };
  EXPECT_EQ(verdict(program(4)), "verified");
  EXPECT_SAYS(verdict(program(3)),
              "goal: x[0..7] at gpu[0] does not hold what the goal requires; x of gpu[3] is missing");
}

TEST(VerifyRefuses, AMissingContributionByName) {
  EXPECT_SAYS(verdict(reduce_tree({0, 0, 0, 1}, 2)), "x of pe[2] is missing");
  EXPECT_SAYS(verdict(reduce_tree({0, 0, 0, 1}, 2)), "goal: x[0..3] at pe[0]");
}

TEST(VerifyRefuses, ADoubleContributionByName) {
  Program p = reduce_tree({0, 0, 1});
  p.tasks.push_back(p.tasks.back());  // rank 1's sum is added once more
  p.tasks.back().name = "again";
  p.tasks.back().edges = {{Edge::Kind::after, 3, false, 0, Bytes(0), 0, 0, false}};
  p.body.push_back({Item::Kind::task, 4});
  EXPECT_SAYS(verdict(p), "x of pe[1], x of pe[2] is counted twice");
}

TEST(VerifyRefuses, AMissingPartOfAProduct) {
  Program p = compute_shift(4);
  for (Task& t : p.tasks) {
    if (t.name != "z") continue;
    t.reads[0].box[1] = range(0, 12);
    t.reads[1].box[0] = range(0, 12);
  }
  EXPECT_SAYS(verdict(p), "the part k=12..15 is missing");
}

TEST(VerifyRefuses, APartOfAProductThatIsCountedTwice) {
  Program p = compute_shift(4);
  for (Task& t : p.tasks) {
    if (t.name != "z") continue;
    t.adds = std::move(t.writes);
    t.writes.clear();
    Task again = t;
    again.name = "z2";
    again.reads[0].box[1] = range(4, 4);
    again.edges = {{Edge::Kind::after, 3, false, 0, Bytes(0), 0, 0, false}};
    p.tasks.push_back(again);
    p.body.push_back({Item::Kind::task, 4});
    break;
  }
  EXPECT_SAYS(verdict(p), "the part k=4..7 is counted twice");
}

TEST(VerifyRefuses, AWrongDestination) {
  Program p = all_to_all(4, 4);
  p.tasks[0].to.axes[0].lo.base += 1;
  EXPECT_SAYS(verdict(p), "is required, and nothing arrives there");
}

TEST(VerifyRefuses, ADroppedMove) {
  EXPECT_EQ(verdict(all_to_all(4, 3)), "goal: x[3,0] at gpu[0] is required, and nothing arrives there");
  EXPECT_SAYS(verdict(ring_all_reduce(4, 1)), "a1[1]: reads in[3,0..1] at gpu[1], and nothing lies there");
}

TEST(VerifyRefuses, AShiftInTheWrongDirection) {
  EXPECT_SAYS(verdict(compute_shift(8, 1)), "reads B[0..15,1] at core[0], and nothing lies there");
}

TEST(VerifyRefuses, AReadBeforeTheWrite) {
  Program p = reduce_tree({0, 0});
  p.tasks[1].edges.clear();
  EXPECT_SAYS(verdict(p), "a1: reads in1[0..3] at pe[0] that m1 writes, and no edge orders them (read after write)");
}

TEST(VerifyRefuses, AWriteOverWhatIsStillRead) {
  Builder b("war");
  const SpaceId pe = b.space("pe", {3});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  b.start(Builder::chunk(x), Builder::at(pe, {range(0, 2)}));
  b.goal(GoalKind::broadcast, x, Builder::at(pe, {all()}), Builder::at(pe, {one(0)}));
  b.move("away").what(Builder::chunk(x)).from(pe, {one(1)}).to(pe, {one(2)});
  b.move("over").what(Builder::chunk(x)).from(pe, {one(0)}).to(pe, {one(1)});
  EXPECT_SAYS(verdict(b.take()),
              "over: writes x[0..3] at pe[1] that away still reads, and no edge orders them (write after read)");
}

TEST(VerifyRefuses, TwoWritesWithoutOrder) {
  Program p = reduce_tree({0, 0, 0});
  p.tasks[3].edges.pop_back();  // both sums into x at rank 0 at once
  EXPECT_SAYS(verdict(p), "a1: adds to x[0..3] at pe[0] as a2 does, and no edge orders them (write after write)");
}

TEST(VerifyRefuses, MembersOfOneTaskThatWriteOnePiece) {
  Builder b("collide");
  const SpaceId pe = b.space("pe", {3});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const Lin j = var(b.var("j"));
  b.start(Builder::chunk(x), Builder::at(pe, {all()}));
  b.goal(GoalKind::broadcast, x, Builder::at(pe, {all()}), Builder::at(pe, {one(0)}));
  b.move("m").what(Builder::chunk(x)).from(pe, {one(j)}).to(pe, {one(0)}).over(b.var("j"), 1, 3);
  EXPECT_SAYS(verdict(b.take()), "m[2]: writes x[0..3] at pe[0] that m[1] writes too");
}

TEST(VerifyRefuses, AWindowAgainstAnEdge) {
  Program p = reduce_tree({0, 0});
  p.tasks[1].edges.push_back(
      {Edge::Kind::after, 0, false, 0, Bytes(0), 0, 0, false});  // streams m1 through a window and waits for its end
  EXPECT_SAYS(verdict(p), "deadlock: m1 waits for a1 waits for m1");
}

TEST(VerifyRefuses, LaneOrderAgainstAnEdge) {
  Builder b("lanes");
  const SpaceId pe = b.space("pe", {3});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const BufferId in = b.buffer("in", x);
  b.start(Builder::chunk(x), Builder::at(pe, {all()}));
  b.goal(GoalKind::broadcast, x, Builder::at(pe, {all()}), Builder::at(pe, {one(0)}));
  b.move("far").what(Builder::chunk(x)).into(in).from(pe, {one(2)}).to(pe, {one(0)}).lane(0);
  b.compute("take", "copy", DType::f32)
      .reads(Builder::chunk(in))
      .writes(Builder::chunk(x))
      .at(pe, {one(0)})
      .streams("far", Bytes(4), 1);
  b.move("near").what(Builder::chunk(x)).into(b.buffer("in2", x)).from(pe, {one(1)}).to(pe, {one(0)}).lane(0);
  Program p = b.take();
  EXPECT_EQ(verdict(p), "verified");
  // `take` joins two streams: what is served second must have begun before the first may end
  Task join = p.tasks[1];
  p.tasks[1] = p.tasks[2];
  join.reads.push_back({p.tasks[1].into, {}, ChunkRef::By::box, kNone});
  join.edges.push_back({Edge::Kind::streams, 1, false, 0, Bytes(4), 1, 0, false});
  p.tasks[2] = join;
  EXPECT_SAYS(verdict(p), "deadlock: far waits for take waits for near waits for far");
}

/// PE 0 adds its near child 1 and then its far child 2, both in lane 0; the moves are numbered as `far_first` says.
Program two_children(bool far_first) {
  Builder b("two children");
  const SpaceId pe = b.space("pe", {3});
  const TensorId x = b.tensor("x", {64}, DType::f32);
  const BufferId in1 = b.buffer("in1", x), in2 = b.buffer("in2", x);
  b.start(Builder::chunk(x), Builder::at(pe, {range(0, 3)}));
  b.goal(GoalKind::reduce, x, Builder::at(pe, {all()}), Builder::at(pe, {one(0)}));
  const auto send = [&](int child) {
    b.move(child == 1 ? "m1" : "m2")
        .what(Builder::chunk(x))
        .into(child == 1 ? in1 : in2)
        .from(pe, {one(child)})
        .to(pe, {one(0)})
        .lane(0);
  };
  send(far_first ? 2 : 1);
  send(far_first ? 1 : 2);
  b.compute("a1", "add", DType::f32)
      .reads(Builder::chunk(in1))
      .adds(Builder::chunk(x))
      .at(pe, {one(0)})
      .streams("m1", Bytes(4), 1);
  b.compute("a2", "add", DType::f32)
      .reads(Builder::chunk(in2))
      .adds(Builder::chunk(x))
      .at(pe, {one(0)})
      .streams("m2", Bytes(4), 1)
      .after("a1");
  return b.take();
}

TEST(VerifyRefuses, TheFarChildFirstInALane) {
  EXPECT_EQ(verdict(two_children(false), wafer_row(3)), "verified");
  EXPECT_SAYS(verdict(two_children(true), wafer_row(3)),
              "deadlock: m2 waits for a2 waits for a1 waits for m1 waits for m2");
}

TEST(VerifyRefuses, WindowsThatReachFurtherThanTheNextTask) {
  Program p =
      two_children(true);  // now the second sum follows the first grain by grain: m2 is full before m1 may start
  Task first = p.tasks[2], second = p.tasks[3];
  second.edges = {{Edge::Kind::streams, 0, false, 0, Bytes(4), 1, 0, false}};
  first.edges = {{Edge::Kind::streams, 1, false, 0, Bytes(4), 1, 0, false},
                 {Edge::Kind::streams, 2, false, 0, Bytes(4), 1, 0, false}};
  p.tasks[2] = second;
  p.tasks[3] = first;
  EXPECT_SAYS(verdict(p, wafer_row(3)), "deadlock: m2 waits for a1 waits for m1 waits for m2");
  p.tasks[3].edges[1].window = 64;  // room for all of it
  EXPECT_EQ(verdict(p, wafer_row(3)), "verified");
}

/// m0 and then m1 carry 64 grains to c, which waits for the end of m0: the windows and the route of m1 must hold what
/// m0 sends.
Program reader_waits_for_the_sender(std::int64_t window, std::int64_t grain = 4) {
  Builder b("held in flight");
  const SpaceId pe = b.space("pe", {3});
  const TensorId x = b.tensor("x", {64}, DType::f32);
  const BufferId in = b.buffer("in", x), out = b.buffer("out", x);
  b.start(Builder::chunk(x), Builder::at(pe, {one(2)}));
  b.move("m0").what(Builder::chunk(x)).into(in).from(pe, {one(2)}).to(pe, {one(1)});
  b.move("m1").what(Builder::chunk(in)).into(in).from(pe, {one(1)}).to(pe, {one(0)}).streams("m0", Bytes(grain), 1);
  b.compute("z", "pause", DType::f32).at(pe, {one(1)}).after("m0");
  b.compute("c", "copy", DType::f32)
      .reads(Builder::chunk(in))
      .writes(Builder::chunk(out))
      .at(pe, {one(0)})
      .streams("m1", Bytes(grain), window)
      .after_all("z");
  return b.take();
}

TEST(VerifyRefuses, WindowsThatHoldLessThanASenderMustSend) {
  // 64 grains: 1 in the first window, 4 in a route of 4 cycles at a grain a cycle, so 59 are left for the second
  // window.
  EXPECT_EQ(verdict(reader_waits_for_the_sender(59), wafer_row(3)), "verified");
  EXPECT_SAYS(verdict(reader_waits_for_the_sender(58), wafer_row(3)),
              "deadlock: m0 waits for c waits for z waits for m0");
  // 32 grains of two cycles: 1 and 2 are held.
  EXPECT_EQ(verdict(reader_waits_for_the_sender(29, 8), wafer_row(3)), "verified");
  EXPECT_SAYS(verdict(reader_waits_for_the_sender(28, 8), wafer_row(3)), "deadlock");
  // Without latency, or with grains longer than it, a route holds nothing.
  EXPECT_EQ(verdict(reader_waits_for_the_sender(63), hub(3, 1e9, 0)), "verified");
  EXPECT_SAYS(verdict(reader_waits_for_the_sender(62), hub(3, 1e9, 0)), "deadlock");
  EXPECT_EQ(verdict(reader_waits_for_the_sender(7, 32), wafer_row(3)), "verified");
  EXPECT_SAYS(verdict(reader_waits_for_the_sender(6, 32), wafer_row(3)), "deadlock");
}

TEST(VerifyRefuses, AnEdgeToALaterTask) {
  Program p = reduce_tree({0, 0});
  p.tasks[0].edges.push_back({Edge::Kind::after, 1, false, 0, Bytes(0), 0, 0, false});
  EXPECT_SAYS(verdict(p), "m1: its edge names a1, which comes later in the list");
}

TEST(Verify, AKernelSplitOverTokensEqualsTheWholeAndAMissingInputDoesNot) {
  const auto program = [](bool reads_weights) {
    Builder b("experts");
    const SpaceId gpu = b.space("gpu", {2});
    const TensorId t = b.tensor("t", {2, 4}, DType::f16), w = b.tensor("w", {8}, DType::f16),
                   y = b.tensor("y", {2, 4}, DType::f16);
    const VarId jv = b.var("j");
    const Lin j = var(jv);
    b.start(Builder::chunk(t, {one(j), all()}), Builder::at(gpu, {one(j)}), {{jv, 0, 2}});
    b.start(Builder::chunk(w), Builder::at(gpu, {all()}));
    Meaning m;
    m.einsum = false;
    m.op = "experts";
    m.out = {y, {}, {}};
    m.in = {{t, {}, {}}, {w, {}, {}}};
    b.meaning(m);
    Goal goal;
    goal.kind = GoalKind::place;
    goal.place.push_back({{{jv, 0, 2}}, Builder::chunk(y, {one(j), all()}), Builder::at(gpu, {one(j)}), 0});
    b.goal(goal);
    {
      auto c = b.compute("c", "experts", DType::f16);
      c.reads(Builder::chunk(t, {one(j), all()}))
          .writes(Builder::chunk(y, {one(j), all()}))
          .at(gpu, {one(j)})
          .over(jv, 0, 2);
      if (reads_weights) c.reads(Builder::chunk(w));
    }
    return b.take();
  };
  EXPECT_EQ(verdict(program(true)), "verified");
  EXPECT_SAYS(verdict(program(false)), "goal: y[0,0..3] at gpu[0] does not hold what the goal requires");
}

}  // namespace
}  // namespace weft::test
