// Form: what a Program names must be there, for every member that can differ.
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

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

Program circuits(bool after_raise, bool before_drop) {
  Builder b("circuits");
  const SpaceId rack = b.space("rack", {3});
  const TensorId x = b.tensor("x", {1}, DType::f32), y = b.tensor("y", {1}, DType::f32);
  b.up("ocs:0-1");
  b.start(Builder::chunk(x), Builder::at(rack, {one(0)}));
  b.start(Builder::chunk(y), Builder::at(rack, {one(0)}));
  b.goal(GoalKind::send_recv, x, Builder::at(rack, {range(0, 2)}), Builder::at(rack, {one(1)}));
  b.goal(GoalKind::send_recv, y, Builder::at(rack, {all()}), Builder::at(rack, {one(2)}));
  b.move("m0").what(Builder::chunk(x)).from(rack, {one(0)}).to(rack, {one(1)}).via("ocs:0-1");
  {
    auto r = b.control("r", Control::reconfigure, SiteRef{});
    r.circuits("ocs", {"0-1"}, {"0-2"});
    if (before_drop) r.after("m0");
  }
  {
    auto m = b.move("m1");
    m.what(Builder::chunk(y)).from(rack, {one(0)}).to(rack, {one(2)}).via("ocs:0-2");
    if (after_raise) m.after("r");
  }
  return b.take();
}

class Racks : public FlatMachine {
 public:
  explicit Racks(bool circuits = true) : FlatMachine(3, 3, 1e9) {
    both(0, 1, link_class_of("ocs:0-1", 1e9, 0));
    both(0, 2, link_class_of("ocs:0-2", 1e9, 0));
    for (machine::LinkClass& c : link_classes_) c.circuit = circuits;
  }
};

TEST(Verify, AcceptsCircuitsThatMoveInOrder) {
  EXPECT_EQ(verdict(circuits(true, true), Racks()), "verified");
}

TEST(VerifyRefuses, CircuitsUsedOutsideTheirTime) {
  EXPECT_SAYS(verdict(circuits(false, true), Racks()), "m1: no edge orders it after r, which raises circuit ocs:0-2");
  EXPECT_SAYS(verdict(circuits(true, false), Racks()),
              "r: drops circuit ocs:0-1 and no edge orders it after m0, which uses it");
  Program p = circuits(true, true);
  p.up.clear();
  EXPECT_SAYS(verdict(p, Racks()), "m0: circuit ocs:0-1 is not up");
}

TEST(VerifyRefuses, NamesThatTheMachineDoesNotHave) {
  Program p = all_to_all(4, 4);
  p.tasks[0].transport = "pigeon";
  EXPECT_SAYS(verdict(p, hub(8, 1e9, 0)), "the machine has no transport 'pigeon'");
  p.tasks[0].transport.clear();
  p.tasks[0].via = "tunnel";
  EXPECT_SAYS(verdict(p, hub(8, 1e9, 0)), "there is no way from core[0] to core[1] via tunnel");
}

/// Site 3 has no sram and a cable of its own from site 0; the others stand in a ring of wires. Routers tell two lanes
/// apart.
class Mixed : public FlatMachine {
 public:
  Mixed() : FlatMachine(4, 4, 1e9) {
    site_classes_[0].tiers.push_back({"sram", Bytes(1 << 20), BytesPerSecond{0}, ""});
    site_classes_.push_back({"plain", {site_classes_[0].tiers[0]}, ""});
    site_class_of_[3] = 1;
    const auto wire = link_class_of("wire", 1e9, 0), cable = link_class_of("cable", 1e6, 0);
    for (machine::NodeId a = 0; a < 3; ++a) link(a, (a + 1) % 3, wire);
    link(0, 3, cable);
    machine::Transport t;
    t.name = "near";
    t.fabric = "wires";
    transport(t);
    t.name = "any";
    t.fabric = "";
    transport(t);
  }
  std::string_view fabric_between(machine::SiteId, machine::SiteId dst) const override {
    return dst == 3 ? "cables" : "wires";
  }
  std::optional<int> colours() const override { return 2; }
};

struct Sends {
  std::int64_t last = 2;  ///< site 0 sends to 1 .. last, one member each
  std::string tier, transport, via;
  std::int64_t lanes = 0;  ///< lane of each member is its destination modulo this
};

Program sends(const Sends& s) {
  Builder b("sends");
  const SpaceId core = b.space("core", {4});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const BufferId to = b.buffer("to", x, s.tier);
  const Lin j = var(b.var("j"));
  b.start(Builder::chunk(x), Builder::at(core, {one(0)}));
  {
    auto m = b.move("m");
    m.what(Builder::chunk(x)).into(to).from(core, {one(0)}).to(core, {one(j)}).over(b.var("j"), 1, s.last + 1);
    m.transport(s.transport).via(s.via);
    if (s.lanes > 0) m.lane(mod(j, s.lanes));
  }
  return b.take();
}

TEST(VerifyForm, LooksAtEveryMemberAndNotAtTheFirstAlone) {
  const Mixed m;
  EXPECT_EQ(verdict(sends({2, "sram", "near", "wire", 2}), m), "verified");
  EXPECT_EQ(verdict(sends({3, "", "any", "", 2}), m), "verified");
  EXPECT_EQ(verdict(sends({3, "sram", "", "", 0}), m), "m[3]: core[3] has no memory 'sram'");
  EXPECT_EQ(verdict(sends({3, "", "near", "", 0}), m),
            "m[3]: transport 'near' does not serve cables, which joins core[0] and core[3]");
  EXPECT_EQ(verdict(sends({3, "", "", "wire", 0}), m), "m[3]: there is no way from core[0] to core[3] via wire");
  EXPECT_EQ(verdict(sends({3, "", "", "", 4}), m), "m[3]: lane 3 is one too many at core[0], which tells 2 apart");
}

TEST(VerifyForm, LooksAtTheMemoryThatIsReadFrom) {
  Builder b("reads");
  const SpaceId core = b.space("core", {4});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const BufferId in = b.buffer("in", x, "sram");
  b.start(Builder::chunk(in), Builder::at(core, {all()}));
  EXPECT_EQ(verdict(b.take(), Mixed()), "start: core[3] has no memory 'sram'");
  Builder c("computes");
  const SpaceId c_core = c.space("core", {4});
  const TensorId y = c.tensor("y", {4}, DType::f32);
  const BufferId out = c.buffer("out", y, "sram");
  c.start(Builder::chunk(y), Builder::at(c_core, {all()}));
  const Lin j = var(c.var("j"));
  c.compute("k", "copy", DType::f32)
      .reads(Builder::chunk(y))
      .writes(Builder::chunk(out))
      .at(c_core, {one(j)})
      .over(c.var("j"), 0, 4);
  EXPECT_EQ(verdict(c.take(), Mixed()), "k[3]: core[3] has no memory 'sram'");
}

TEST(VerifyForm, SeesAWayThatOnlyALaterRoundLacks) {
  Builder b("rounds");
  const SpaceId core = b.space("core", {4});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  const BufferId to = b.buffer("to", x);
  b.start(Builder::chunk(x), Builder::at(core, {range(0, 3)}));
  b.repeat(3, "i", [&](VarId i) {  // from 0, 1 and 2 to 3: only 0 has a cable
    b.move("m")
        .what(Builder::chunk(x))
        .into(to)
        .from(core, {one(program::var(i))})
        .to(core, {one(3)})
        .via("cable")
        .after("m", 1);
  });
  EXPECT_EQ(verdict(b.take(), Mixed()), "m of round 1: there is no way from core[1] to core[3] via cable");
}

TEST(VerifyForm, KnowsTheCircuitsOfTheMachine) {
  Program p = circuits(true, true);
  p.tasks[1].raise = {"0-2", "7-9"};
  EXPECT_EQ(verdict(p, Racks()), "r: the machine has no circuit ocs:7-9");
  p.tasks[1].raise = {"0-2"};
  EXPECT_EQ(verdict(p, Racks()), "verified");
  EXPECT_EQ(verdict(p, Racks(false)), "r: the machine has no circuits");
}

}  // namespace
}  // namespace weft::test
