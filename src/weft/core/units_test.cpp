#include "weft/core/units.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "weft/core/random.hpp"

namespace weft {
namespace {

template <class Q>
std::string fault(std::string_view text) {
  const auto result = parse_quantity<Q>(text);
  return result ? "accepted as " + to_string(*result) : result.error();
}

TEST(Units, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_quantity<Bytes>("624 KiB"), Bytes(624 * 1024));
  EXPECT_EQ(parse_quantity<Bytes>("4MB"), Bytes(4'000'000));
  EXPECT_EQ(parse_quantity<Bytes>("0.3 GB"), Bytes(300'000'000));
  EXPECT_EQ(parse_quantity<Seconds>("100 ns"), Seconds(100e-9));
  EXPECT_EQ(parse_quantity<Seconds>("1.5min"), Seconds(90));
  EXPECT_EQ(parse_quantity<Hertz>("1.33 GHz"), Hertz(1.33e9));
  EXPECT_EQ(parse_quantity<BytesPerSecond>("12.5 GB/s"), BytesPerSecond(12.5e9));
  EXPECT_EQ(parse_quantity<FlopsPerSecond>("989.4 TFLOP/s"), FlopsPerSecond(989.4e12));
  EXPECT_EQ(parse_quantity<FlopsPerSecond>("15 GFLOPS"), FlopsPerSecond(15e9));
  EXPECT_EQ(parse_quantity<JoulesPerBit>("0.82 pJ/bit"), JoulesPerBit(0.82e-12));
  EXPECT_EQ(parse_quantity<Watts>("700 W"), Watts(700));
}

TEST(Units, KeepsBitsApartFromBytes) {
  EXPECT_EQ(parse_quantity<BytesPerSecond>("400 Gb/s"), BytesPerSecond(50e9));
  EXPECT_EQ(parse_quantity<BytesPerSecond>("1.6 Tb/s"), BytesPerSecond(200e9));
  EXPECT_EQ(parse_quantity<BytesPerSecond>("400 GB/s"), BytesPerSecond(400e9));
}

TEST(Units, RefusesABareNumberAndNamesTheUnits) {
  EXPECT_EQ(fault<Seconds>("5"), "5 has no unit; write e.g. 5 s, 5 ms, 5 us, 5 ns");
  EXPECT_EQ(fault<Bytes>("1e3"), "1e3 has no unit; write e.g. 1e3 B, 1e3 KB, 1e3 MB, 1e3 GB");
}

TEST(Units, NamesTheNearestUnit) {
  EXPECT_EQ(fault<BytesPerSecond>("12.5 GBs"), "GBs: did you mean GB/s?");
  EXPECT_EQ(fault<Bytes>("5 kib"), "kib: did you mean KiB?");
  EXPECT_EQ(fault<Watts>("5 furlong"), "furlong is not a unit here (allowed: W, mW, uW, kW, MW)");
}

TEST(Units, RefusesWhatIsNoQuantity) {
  EXPECT_EQ(fault<Bytes>("-5 B"), "-5 B is negative");
  EXPECT_EQ(fault<Seconds>(""), "nothing where a quantity is needed; write e.g. 5 s, 5 ms, 5 us, 5 ns");
  EXPECT_EQ(fault<Seconds>("nan s"), "'nan s' does not begin with a number; write e.g. 5 s, 5 ms, 5 us, 5 ns");
  EXPECT_EQ(fault<Seconds>("inf s"), "'inf s' does not begin with a number; write e.g. 5 s, 5 ms, 5 us, 5 ns");
  EXPECT_EQ(fault<Seconds>("1e400 s"), "1e400 s is out of range");
  EXPECT_EQ(fault<Seconds>("1e99999999999 s"), "1e99999999999 s is out of range");
  EXPECT_EQ(fault<Bytes>("9223372036854775808 B"), "9223372036854775808 B is out of range");
  EXPECT_EQ(fault<Bytes>("0.5 B"), "0.5 B is not a whole number of bytes");
  EXPECT_EQ(fault<Bytes>("1 2 B"), "2 B is not a unit here (allowed: B, KB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB)");
}

TEST(Units, PrintsTheShortestExactForm) {
  EXPECT_EQ(to_string(Bytes(624 * 1024)), "624 KiB");
  EXPECT_EQ(to_string(Bytes(80'000'000'000)), "80 GB");
  EXPECT_EQ(to_string(Bytes(0)), "0 B");
  EXPECT_EQ(to_string(Seconds(5e-9)), "5 ns");
  EXPECT_EQ(to_string(Seconds(0.5)), "500 ms");
  EXPECT_EQ(to_string(BytesPerSecond(12.5e9)), "12.5 GB/s");
  EXPECT_EQ(to_string(FlopsPerSecond(989.4e12)), "989.4 TFLOP/s");
}

TEST(Units, PrintsFourDigitsForPeople) {
  EXPECT_EQ(format_short(Seconds(0.0012341234)), "1.234 ms");
  EXPECT_EQ(format_short(Bytes(65536000)), "62.5 MiB");
  EXPECT_EQ(format_short(Bytes(123456789)), "117.7 MiB");
  EXPECT_EQ(format_short(BytesPerSecond(87.654321e9)), "87.65 GB/s");
  EXPECT_EQ(format_short(Seconds(1.23456789e-17)), "0.01235 fs");
}

TEST(Units, CombineAcrossTypes) {
  EXPECT_EQ(Bytes(1000) / BytesPerSecond(1e9), Seconds(1e-6));
  EXPECT_EQ(Flops(2e12) / FlopsPerSecond(1e12), Seconds(2));
  EXPECT_EQ(JoulesPerBit(1e-12) * Bytes(1000), Joules(8e-9));
  EXPECT_DOUBLE_EQ(Bytes(3) / Bytes(2), 1.5);
  EXPECT_EQ(Bytes(10) / 4, Bytes(2));
  EXPECT_EQ(0.5 * Bytes(10), Bytes(5));
}

// Any finite double of either sign of exponent, not only the friendly ones.
template <class Q>
void prints_what_it_reads() {
  const double value = std::fabs(std::bit_cast<double>(mix64(*rc::gen::arbitrary<std::uint64_t>())));
  RC_PRE(std::isfinite(value) && value > 1e-250 && value < 1e250);
  RC_ASSERT(parse_quantity<Q>(to_string(Q(value))) == Q(value));
}

RC_GTEST_PROP(UnitsProperty, BytesReadBackExactly, ()) {
  const auto value = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
  RC_ASSERT(parse_quantity<Bytes>(to_string(Bytes(value))) == Bytes(value));
}
RC_GTEST_PROP(UnitsProperty, SecondsReadBackExactly, ()) {
  prints_what_it_reads<Seconds>();
}
RC_GTEST_PROP(UnitsProperty, BandwidthsReadBackExactly, ()) {
  prints_what_it_reads<BytesPerSecond>();
}
RC_GTEST_PROP(UnitsProperty, FrequenciesReadBackExactly, ()) {
  prints_what_it_reads<Hertz>();
}
RC_GTEST_PROP(UnitsProperty, WorkReadsBackExactly, ()) {
  prints_what_it_reads<Flops>();
}
RC_GTEST_PROP(UnitsProperty, EnergiesPerBitReadBackExactly, ()) {
  prints_what_it_reads<JoulesPerBit>();
}
RC_GTEST_PROP(UnitsProperty, ShortDecimalsStayAsTheyAre, ()) {
  const auto tenths = *rc::gen::inRange(10, 9999);
  const std::string text = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " us";
  const auto value = parse_quantity<Seconds>(text);
  RC_ASSERT(value.has_value());
  RC_ASSERT(to_string(*value).size() <= text.size());
}

}  // namespace
}  // namespace weft
