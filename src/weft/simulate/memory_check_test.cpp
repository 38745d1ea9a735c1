// The Timeline's own memory: what no edge orders may still fit, or may not.
#include "weft/simulate/memory_check.hpp"

#include <gtest/gtest.h>

#include "support/flat_machine.hpp"
#include "weft/program/builder.hpp"
#include "weft/program/verify.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::simulate {
namespace {

using namespace weft::program;

/// Four sites on a hub of 1 B a tick.
class Small : public test::FlatMachine {
 public:
  explicit Small(std::int64_t bytes) : FlatMachine(test::hub(4, 1e9, 0)) {
    site_classes_[0].tiers[0].capacity = Bytes(bytes);
  }
};

/// Sites 1 and 2 send 100 B each to site 0, which uses either for 10 ticks; the second one is sent after a pause.
Program two_arrivals(std::int64_t pause) {
  Builder b("two arrivals");
  const auto s = b.space("s", {3});
  const auto x = b.tensor("x", {2, 100}, DType::u8);
  b.start(Builder::chunk(x, {one(0), all()}), Builder::at(s, {one(1)}));
  b.start(Builder::chunk(x, {one(1), all()}), Builder::at(s, {one(2)}));
  b.compute("p", "pause", DType::f32).at(s, {one(2)}).dim("ticks", pause);
  for (int k = 0; k < 2; ++k) {
    const std::string m = "m" + std::to_string(k);
    {
      auto t = b.move(m);
      t.what(Builder::chunk(x, {one(k), all()})).from(s, {one(k + 1)}).to(s, {one(0)});
      if (k == 1) t.after("p");
    }
    b.compute("c" + std::to_string(k), "pause", DType::f32)
        .at(s, {one(0)})
        .dim("ticks", 10)
        .reads(Builder::chunk(x, {one(k), all()}))
        .after(m);
  }
  return b.take();
}

struct Case {
  Program program;
  Small machine;
  Expansion expansion;
  Timeline timeline;
  Fold fold_;
  Case(Program p, std::int64_t bytes, bool folded = true)
      : program(std::move(p)),
        machine(bytes),
        expansion(expand(program, 4)),
        timeline(flow(expansion, machine, {folded, {}})),
        fold_(fold(expansion, machine, folded)) {}
  std::vector<MemoryPeak> peaks() const { return memory_peaks(expansion, machine, timeline, fold_); }
  std::vector<MemoryPeak> overflows() const { return memory_overflows(expansion, machine, timeline, fold_); }
};

TEST(MemoryOfATimeline, FitsWhereTheTimesKeepDataApart) {
  const Case late(two_arrivals(1000), 100);
  const Verdict v = verify(late.expansion, late.machine);
  EXPECT_TRUE(v.verified);
  EXPECT_FALSE(v.memory_proved);
  ASSERT_EQ(late.peaks().size(), 1U);
  EXPECT_EQ(late.peaks()[0].bytes, 100);
  EXPECT_TRUE(late.overflows().empty());
  EXPECT_TRUE(Case(two_arrivals(110), 100).overflows().empty()) << "at tick 110 one ends and the other starts";
}

TEST(MemoryOfATimeline, OverflowsWithThePlaceTheMomentAndTheMissingBytes) {
  const Case early(two_arrivals(109), 150);  // site 0 holds the first piece until 110
  ASSERT_EQ(early.overflows().size(), 1U);
  const MemoryPeak peak = early.overflows()[0];
  EXPECT_EQ(peak.site, 0U);
  EXPECT_EQ(peak.tier, "memory");
  EXPECT_EQ(peak.tick, 109);
  EXPECT_EQ(peak.bytes, 200);
  EXPECT_EQ(peak.missing(), 50);
  EXPECT_EQ(text(peak, early.machine, early.timeline.clock),
            "memory of core[0] overflows at 109 ns: 200 B lie there, it holds 150 B; 50 B are missing");
}

TEST(MemoryOfATimeline, LooksAtNothingWhereEverythingFits) {
  EXPECT_TRUE(Case(two_arrivals(0), 200).peaks().empty());
}

/// Each site sends its pieces to the next one, which uses them.
Program shifted() {
  Builder b("shifted");
  const auto s = b.space("s", {4});
  const auto x = b.tensor("x", {4, 2, 50}, DType::u8);
  const VarId jv = b.var("j");
  const Lin j = var(jv), next = mod(j + 1, 4);
  b.start(Builder::chunk(x, {one(j), all(), all()}), Builder::at(s, {one(j)}), {{jv, 0, 4}});
  const BufferId in = b.buffer("in", x);
  for (int k = 0; k < 2; ++k) {
    const std::string m = "m" + std::to_string(k);
    b.move(m)
        .what(Builder::chunk(x, {one(j), one(k), all()}))
        .into(in)
        .from(s, {one(j)})
        .to(s, {one(next)})
        .over(jv, 0, 4);
    b.compute("c" + std::to_string(k), "pause", DType::f32)
        .at(s, {one(j)})
        .over(jv, 0, 4)
        .dim("ticks", 10)
        .reads(Builder::chunk(in, {one(mod(j - 1, 4)), one(k), all()}))
        .after(m);
  }
  return b.take();
}

TEST(MemoryOfATimeline, IsTheSameWithAndWithoutTheFold) {
  const Case folded(shifted(), 190), plain(shifted(), 190, false);
  EXPECT_LT(folded.timeline.spans.size(), plain.timeline.spans.size());
  const auto a = folded.overflows(), b = plain.overflows();
  ASSERT_EQ(a.size(), 4U);
  ASSERT_EQ(b.size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(a[k].site, b[k].site);
    EXPECT_EQ(a[k].tick, b[k].tick);
    EXPECT_EQ(a[k].missing(), 10);
    EXPECT_EQ(b[k].missing(), 10);
  }
}

}  // namespace
}  // namespace weft::simulate
