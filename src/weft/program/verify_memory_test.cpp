// Memory for any timing: what edges prove to fit, what no timing could hold, and what is left to the engine's Timeline.
#include <algorithm>

#include <gtest/gtest.h>

#include "weft/program/verify_cases.hpp"
#include "weft/program/verify_lifetimes.hpp"

namespace weft::test {
namespace {

using program::all;

class Small : public FlatMachine {
 public:
  explicit Small(std::int64_t bytes) : FlatMachine(hub(8, 1e9, 0)) {
    site_classes_[0].tiers[0].capacity = Bytes(bytes);
  }
};

/// Core 1 holds less than the others, which hold 96 B.
class Uneven : public Small {
 public:
  explicit Uneven(std::int64_t second) : Small(96) {
    site_classes_.push_back(site_classes_[0]);
    site_classes_[1].tiers[0].capacity = Bytes(second);
    site_class_of_[1] = 1;
  }
};

/// Six pieces of 16 B go to core 1 one by one, where each is used once; piece i waits for the use of piece i - `reuse`
/// (0: never).
Program pieces(std::int64_t reuse, bool streams = false) {
  Builder b("pieces");
  const SpaceId core = b.space("core", {2});
  const TensorId x = b.tensor("x", {6, 4}, DType::f32);
  const BufferId in = b.buffer("in", x);
  b.start(Builder::chunk(x), Builder::at(core, {one(0)}));
  b.repeat(6, "i", [&](VarId i) {
    {
      auto m = b.move("m");
      m.what(Builder::chunk(x, {one(program::var(i)), all()})).into(in).from(core, {one(0)}).to(core, {one(1)});
      if (reuse > 0 && streams) m.streams("c", Bytes(4), 0, reuse);
      if (reuse > 0 && !streams) m.after("c", reuse);
    }
    auto c = b.compute("c", "pause", DType::f32);
    c.reads(Builder::chunk(in, {one(program::var(i)), all()})).at(core, {one(1)});
    if (streams) {
      c.streams("m", Bytes(4));
    } else {
      c.after("m");
    }
    if (reuse != 1) c.after("c", 1);
  });
  return b.take();
}

TEST(VerifyMemory, EdgesLetLaterDataTakeThePlaceOfEarlier) {
  EXPECT_EQ(verify(pieces(1), Small(96)).memory.at(0).used_bytes, 96) << "all fits: core 0 and core 1 hold six pieces";
  EXPECT_TRUE(verify(pieces(1), Uneven(16)).memory_proved) << "one piece at a time";
  EXPECT_FALSE(verify(pieces(2), Uneven(16)).memory_proved) << "a double buffer needs two pieces";
  EXPECT_TRUE(verify(pieces(2), Uneven(32)).memory_proved);
  EXPECT_FALSE(verify(pieces(3), Uneven(47)).memory_proved);
  EXPECT_TRUE(verify(pieces(3), Uneven(48)).memory_proved);
}

TEST(VerifyMemory, WithoutAnEdgeTheTimelineDecides) {
  EXPECT_TRUE(verify(pieces(0), Small(96)).memory_proved);
  const Verdict v = verify(pieces(0), Uneven(80));
  EXPECT_TRUE(v.verified);
  EXPECT_FALSE(v.memory_proved);
}

TEST(VerifyMemory, AStreamAloneFreesNothing) {
  const Program p = pieces(1, true);  // the next piece comes while the last one is still in use
  EXPECT_FALSE(verify(p, Uneven(95)).memory_proved);
  EXPECT_TRUE(verify(p, Uneven(96)).memory_proved);
}

TEST(VerifyMemory, AStartThatOverflowsItsMemory) {
  const Verdict start = verify(all_to_all(8, 8), Small(100));
  ASSERT_FALSE(start.verified);
  EXPECT_EQ(start.faults[0].what,
            "memory of core[0] overflows before the first task: 128 B start there, it holds 100 B; 28 B are missing");
  const Verdict v = verify(all_to_all(8, 8), Small(240));
  EXPECT_TRUE(v.verified);
  EXPECT_TRUE(v.memory_proved);
  ASSERT_EQ(v.memory.size(), 1u);
  EXPECT_EQ(v.memory[0].used_bytes, 8 * 16 + 7 * 16);
}

/// Two pieces come, in order or not, and one task at core 1 reads both.
Program both_needed() {
  Builder b("both");
  const SpaceId core = b.space("core", {3});
  const TensorId x = b.tensor("x", {2, 4}, DType::f32);
  b.start(Builder::chunk(x, {one(0), all()}), Builder::at(core, {one(0)}));
  b.start(Builder::chunk(x, {one(1), all()}), Builder::at(core, {one(2)}));
  b.move("m0").what(Builder::chunk(x, {one(0), all()})).from(core, {one(0)}).to(core, {one(1)});
  b.move("m1").what(Builder::chunk(x, {one(1), all()})).from(core, {one(2)}).to(core, {one(1)});
  b.compute("c", "pause", DType::f32).reads(Builder::chunk(x)).at(core, {one(1)}).after("m0").after("m1");
  return b.take();
}

TEST(VerifyMemory, RefusesWhatMustBeThereTogetherAndSaysWhen) {
  EXPECT_TRUE(verify(both_needed(), Small(32)).memory_proved);
  const Verdict v = verify(both_needed(), Small(30));
  ASSERT_FALSE(v.verified);
  EXPECT_EQ(v.faults[0].task, "memory");
  EXPECT_EQ(v.faults[0].what,
            "memory of core[1] overflows when c starts: 32 B must lie there together, it holds 30 B; 2 B are missing");
}

TEST(VerifyMemory, RefusesAGoalThatDoesNotFit) {
  const Verdict v = verify(all_to_all(8, 8), Small(200));
  ASSERT_FALSE(v.verified);
  EXPECT_EQ(v.faults[0].what,
            "memory of core[0] overflows at the end: 240 B start there or are required there, it holds 200 B; 40 B are "
            "missing");
}

TEST(VerifyMemory, ARotatingOperandNeedsRoomForTwoColumnsBesideItsOwn) {
  // At each core start a row of A and a column of B (32 B each). In the last round two more columns and seven of the eight
  // results (2 B each) may lie there: 142 B; the last result comes when one of the columns is gone. A core may have passed
  // its column on before the next one comes: in any timing only one column and all results lie there together, 112 B.
  EXPECT_EQ(verify(compute_shift(8), Small(142)).memory.at(0).used_bytes, 142);
  EXPECT_TRUE(verify(compute_shift(8), Small(142)).memory_proved);
  EXPECT_FALSE(verify(compute_shift(8), Small(141)).memory_proved);
  EXPECT_TRUE(verify(compute_shift(8), Small(112)).verified);
  const Verdict v = verify(compute_shift(8), Small(111));
  ASSERT_FALSE(v.verified);
  EXPECT_EQ(
      v.faults[0].what,
      "memory of core[0] overflows when z[0] starts: 112 B must lie there together, it holds 111 B; 1 B are missing");
}

TEST(Lifetimes, AreListedOnlyWhereTheSumDoesNotFit) {
  const Program p = pieces(2);
  const Expansion e = expand(p, 8);
  EXPECT_TRUE(lifetimes_of(e, Small(96)).rows.empty());
  const Lifetimes lives = lifetimes_of(e, Uneven(90));
  ASSERT_EQ(lives.places.size(), 2U);
  EXPECT_EQ(lives.places[0].always, 96);
  EXPECT_EQ(lives.places[0].count, 0U);
  ASSERT_EQ(lives.places[1].count, 6U);
  for (std::uint32_t k = 0; k < 6; ++k) {
    const Lifetimes::Row& row = lives.rows_of(lives.places[1])[k];
    EXPECT_EQ(row.first, 2 * k);
    EXPECT_EQ(row.bytes, 16);
    EXPECT_FALSE(row.to_end);
    const std::vector<std::uint32_t> users{2 * k, 2 * k + 1};
    EXPECT_TRUE(std::ranges::equal(lives.users_of(row), users));
  }
}

}  // namespace
}  // namespace weft::test
