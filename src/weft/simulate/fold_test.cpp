// Is one of many equal sites enough? Folded and expanded answers must be the same, to the tick.
#include "weft/simulate/fold.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/flat_machine.hpp"
#include "weft/program/builder.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::simulate {
namespace {

using namespace program;  // NOLINT(google-build-using-namespace): the Builder's vocabulary

/// `nodes` nodes of `k` cores: a hub in each node, and one hub that joins every core's second port.
test::FlatMachine two_levels(std::uint32_t nodes, std::uint32_t k, double slow_port_of_first_node = 0) {
  const std::uint32_t n = nodes * k;
  test::FlatMachine m(n, n + nodes + 1, 1e9);
  const auto inner = m.link_class_of("inner", 8e9, 2e-9);
  const auto outer = m.link_class_of("outer", 1e9, 9e-9);
  const auto slow = m.link_class_of("slow", slow_port_of_first_node == 0 ? 1e9 : slow_port_of_first_node, 9e-9);
  for (std::uint32_t c = 0; c < n; ++c) {
    m.both(c, n + c / k, inner);
    m.both(c, n + nodes, slow_port_of_first_node != 0 && c < k ? slow : outer);
  }
  const auto map = [&](auto image, const std::string& level) {
    machine::Symmetry s;
    s.level = level;
    for (std::uint32_t c = 0; c < n; ++c) s.sites.push_back(image(c));
    for (std::uint32_t l = 0; l < 4 * n; ++l) s.links.push_back(image(l / 4) * 4 + l % 4);
    m.symmetry(std::move(s));
  };
  if (slow_port_of_first_node == 0) map([&](std::uint32_t c) { return (c + k) % n; }, "node");
  map([&](std::uint32_t c) { return c / k * k + (c % k + 1) % k; }, "core");
  return m;
}

Program all_to_all(std::int64_t n, bool rounds) {
  Builder b("all-to-all");
  const auto s = b.space("s", {n});
  const auto x = b.tensor("x", {n, n}, Bytes{n * n * 100});
  const auto i = b.var("i");
  if (rounds) {
    b.repeat(n - 1, "r", [&](VarId r) {
      const auto to = mod(var(i) + var(r) + 1, n);
      b.move("m")
          .over(i, 0, n)
          .what(b.chunk(x, {one(var(i)), one(to)}))
          .from(s, {one(var(i))})
          .to(s, {one(to)})
          .after("m", 1);
    });
  } else {
    const auto j = b.var("j");
    b.move("m")
        .over(i, 0, n)
        .over(j, 0, n)
        .what(b.chunk(x, {one(var(i)), one(var(j))}))
        .from(s, {one(var(i))})
        .to(s, {one(var(j))});
  }
  return b.take();
}

TEST(Fold, AHubOfEqualSitesNeedsOneOfThem) {
  const Program p = all_to_all(16, false);
  const auto m = test::hub(16, 1e9, 3e-9);
  const Expansion e = expand(p, 16);
  const Fold f = fold(e, m, true);
  EXPECT_EQ(f.symmetries, 1u);
  EXPECT_EQ(f.representative.size(), 15u);
  EXPECT_EQ(f.site_orbit_size.size(), 1u);
  EXPECT_EQ(flow(e, m).end, 15 * 100 + 6);
}

TEST(Fold, RotationOfRanksIsNoSymmetryInsideANode) {
  const Program p = all_to_all(12, true);
  const auto m = two_levels(4, 3);
  const Fold f = fold(expand(p, 12), m, true);
  EXPECT_EQ(f.symmetries, 1u) << "a shift of ranks may be seen from any node, but not from any core of it";
  EXPECT_EQ(f.site_orbit_size.size(), 3u);
}

TEST(Fold, ALaunchOnAllSitesAndAMulticastFromEachKeepThemEqual) {
  Builder b("lists");
  const auto s = b.space("s", {4});
  const auto x = b.tensor("x", {4}, Bytes{400});
  const auto j = b.var("j");
  b.control("go", program::Control::launch, Builder::at(s, {all()}));
  b.move("m")
      .cast(Cast::multicast)
      .over(j, 0, 4)
      .what(b.chunk(x, {one(var(j))}))
      .from(s, {one(var(j))})
      .to(s, {range(0, 4)})
      .after("go");
  const Program p = b.take();
  const Fold f = fold(expand(p, 4), test::hub(4, 1e9, 0), true);
  EXPECT_EQ(f.symmetries, 1u);
  EXPECT_EQ(f.representative.size(), 2u);
}

TEST(Fold, ABusySiteIsNotLikeTheOthers) {
  Builder b("one busy");
  const auto s = b.space("s", {4});
  b.compute("c", "pause", DType::f32).at(s, {one(2)}).dim("ticks", 5);
  EXPECT_EQ(fold(expand(b.take(), 4), test::hub(4, 1e9, 0), true).symmetries, 0u);
}

TEST(Fold, KernelsThatDifferBySiteAreToldApart) {
  Builder b("uneven");
  const auto s = b.space("s", {4});
  const auto j = b.var("j");
  b.compute("c", "pause", DType::f32).over(j, 0, 4).at(s, {one(var(j))}).dim("ticks", 10 + var(j));
  const Program p = b.take();
  const Expansion e = expand(p, 4);
  EXPECT_EQ(fold(e, test::hub(4, 1e9, 0), true).symmetries, 0u);
  EXPECT_EQ(flow(e, test::hub(4, 1e9, 0)).end, 13);
}

void expect_equal(const Program& p, const machine::Machine& m) {
  const Expansion e = expand(p, m.sites());
  Options whole;
  whole.fold = false;
  const Timeline a = flow(e, m), b = flow(e, m, whole);
  ASSERT_EQ(a.end, b.end);
  const Fold f = fold(e, m, true);
  for (std::uint32_t member = 0; member < e.members.size(); ++member) {
    ASSERT_EQ(a.spans[f.orbit[member]].end, b.spans[member].end) << "member " << member;
    ASSERT_EQ(a.spans[f.orbit[member]].start, b.spans[member].start) << "member " << member;
  }
  ASSERT_DOUBLE_EQ(program_bound(e, m).time.value(), program_bound(e, m, whole).time.value());
}

TEST(Fold, FoldedEqualsExpandedOnTwoLevels) {
  for (const bool rounds : {true, false}) {
    const Program p = all_to_all(12, rounds);
    expect_equal(p, two_levels(4, 3));
    expect_equal(p, two_levels(4, 3, 0.5e9));
  }
}

/// A random Program over n sites: shifts, exclusive ors, all-to-alls, computes and barriers with random edges.
Program random_program(std::int64_t n) {
  Builder b("random");
  const auto s = b.space("s", {n});
  const auto x = b.tensor("x", {n, n}, Bytes{n * n * 64});
  const auto i = b.var("i"), j = b.var("j");
  const int tasks = *rc::gen::inRange(1, 7);
  for (int t = 0; t < tasks; ++t) {
    const std::string name = "t" + std::to_string(t);
    const auto wait = [&](TaskBuilder& task) -> TaskBuilder& {
      if (t == 0) return task;
      const std::string on = "t" + std::to_string(*rc::gen::inRange(0, t));
      return *rc::gen::arbitrary<bool>() ? task.after(on) : task.after_all(on);
    };
    const int kind = *rc::gen::inRange(0, 5);
    const std::int64_t k = *rc::gen::inRange<std::int64_t>(1, n);
    if (kind == 0) {
      auto&& c = b.compute(name, "pause", DType::f32);
      wait(c.over(i, 0, n).at(s, {one(var(i))}).dim("ticks", k * 10));
    } else if (kind == 1) {
      auto&& y = b.barrier(name, Builder::at(s, {all()}));
      wait(y);
    } else if (kind == 2) {
      auto&& m = b.move(name);
      wait(m.over(i, 0, n)
               .over(j, 0, n)
               .what(b.chunk(x, {one(var(i)), one(var(j))}))
               .from(s, {one(var(i))})
               .to(s, {one(var(j))}));
    } else {
      auto&& m = b.move(name);
      const auto to = kind == 3 ? mod(var(i) + k, n) : flip(var(i), k);
      wait(m.over(i, 0, n).what(b.chunk(x, {one(var(i)), range(0, k)})).from(s, {one(var(i))}).to(s, {one(to)}));
    }
  }
  return b.take();
}

RC_GTEST_PROP(Fold, FoldedEqualsExpanded, ()) {
  const Program p = random_program(8);
  const bool flat = *rc::gen::arbitrary<bool>();
  const double slow = *rc::gen::element(0.0, 0.25e9);
  const auto m = flat ? test::hub(8, 1e9, 4e-9) : two_levels(4, 2, slow);
  const Expansion e = expand(p, 8);
  Options whole;
  whole.fold = false;
  const Timeline a = flow(e, m), b = flow(e, m, whole);
  RC_ASSERT(a.end == b.end);
  RC_ASSERT(program_bound(e, m).time.value() <= a.clock.seconds(a.end).value() * (1 + 1e-12));
}

}  // namespace
}  // namespace weft::simulate
