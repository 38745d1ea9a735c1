// Is the allocation max-min fair, exact under change, and found only where something changed?
#include "weft/simulate/maxmin.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

namespace weft::simulate {
namespace {

struct Problem {
  std::vector<std::uint32_t> first{0};
  std::vector<MaxMin::Use> uses;
  std::vector<double> weights;
  std::uint32_t resources = 0;
  void user(double weight, std::vector<MaxMin::Use> own) {
    uses.insert(uses.end(), own.begin(), own.end());
    first.push_back(static_cast<std::uint32_t>(uses.size()));
    weights.push_back(weight);
    for (const auto& u : own) resources = std::max(resources, u.resource + 1);
  }
  MaxMin make() const { return {resources, first, uses, weights}; }
};

TEST(MaxMin, ParkingLotGivesTheLongUserTheFairShareOfTheTightestLink) {
  Problem p;
  p.user(1, {{0, 1.0}, {1, 1.0}});  // crosses both
  p.user(1, {{0, 1.0}});
  p.user(1, {{1, 1.0}});
  p.user(1, {{1, 1.0}});
  MaxMin m = p.make();
  for (std::uint32_t u = 0; u < 4; ++u) m.activate(u);
  m.solve([](std::uint32_t) {});
  EXPECT_DOUBLE_EQ(m.rate(0), 1.0 / 3);
  EXPECT_DOUBLE_EQ(m.rate(1), 2.0 / 3);
  EXPECT_DOUBLE_EQ(m.rate(2), 1.0 / 3);
  EXPECT_EQ(m.bottleneck(0), 1u);
  EXPECT_EQ(m.bottleneck(1), 0u);
}

TEST(MaxMin, WeightsShareALinkInProportion) {
  Problem p;
  p.user(1, {{0, 0.5}});
  p.user(3, {{0, 0.5}});
  MaxMin m = p.make();
  m.activate(0);
  m.activate(1);
  m.solve([](std::uint32_t) {});
  EXPECT_DOUBLE_EQ(m.rate(0), 0.5);
  EXPECT_DOUBLE_EQ(m.rate(1), 1.5);
}

TEST(MaxMin, ADepartureTouchesOnlyItsOwnPart) {
  Problem p;
  p.user(1, {{0, 1.0}});
  p.user(1, {{0, 1.0}});
  p.user(1, {{1, 1.0}});
  MaxMin m = p.make();
  for (std::uint32_t u = 0; u < 3; ++u) m.activate(u);
  m.solve([](std::uint32_t) {});
  m.deactivate(0);
  std::vector<std::uint32_t> touched;
  m.solve([&](std::uint32_t u) { touched.push_back(u); });
  EXPECT_EQ(touched, std::vector<std::uint32_t>{1});
  EXPECT_DOUBLE_EQ(m.rate(1), 1.0);
  EXPECT_DOUBLE_EQ(m.rate(2), 1.0);
}

/// The definition, checked directly: feasible, and every user has a full resource where nobody has a larger share.
bool is_max_min(const Problem& p, const MaxMin& m, const std::vector<char>& on) {
  std::vector<double> load(p.resources, 0), largest(p.resources, 0);
  for (std::uint32_t u = 0; u < p.weights.size(); ++u) {
    if (on[u] == 0) continue;
    for (std::uint32_t k = p.first[u]; k < p.first[u + 1]; ++k) {
      load[p.uses[k].resource] += m.rate(u) * p.uses[k].per_byte;
      largest[p.uses[k].resource] = std::max(largest[p.uses[k].resource], m.rate(u) / p.weights[u]);
    }
  }
  for (double l : load) {
    if (l > 1 + 1e-9) return false;
  }
  for (std::uint32_t u = 0; u < p.weights.size(); ++u) {
    if (on[u] == 0) continue;
    bool bound = false;
    for (std::uint32_t k = p.first[u]; k < p.first[u + 1]; ++k) {
      const std::uint32_t r = p.uses[k].resource;
      bound = bound || (load[r] > 1 - 1e-9 && m.rate(u) / p.weights[u] > largest[r] * (1 - 1e-9));
    }
    if (!bound) return false;
  }
  return true;
}

RC_GTEST_PROP(MaxMin, HoldsItsDefinitionAfterAnyArrivalsAndDepartures, ()) {
  const auto resources = *rc::gen::inRange<std::uint32_t>(1, 8);
  const auto users = *rc::gen::inRange<std::uint32_t>(1, 20);
  Problem p;
  for (std::uint32_t u = 0; u < users; ++u) {
    const auto list = *rc::gen::unique<std::vector<std::uint32_t>>(*rc::gen::inRange<std::size_t>(1, resources + 1),
                                                                   rc::gen::inRange<std::uint32_t>(0, resources));
    std::vector<MaxMin::Use> own;
    for (std::uint32_t r : list) own.push_back({r, *rc::gen::element(0.25, 0.5, 1.0, 2.0)});
    p.user(*rc::gen::element(1.0, 2.0, 5.0), own);
  }
  MaxMin m = p.make();
  std::vector<char> on(users, 0);
  for (int step = 0; step < 10; ++step) {
    for (int k = 0; k < 3; ++k) {
      const auto u = *rc::gen::inRange<std::uint32_t>(0, users);
      on[u] != 0 ? m.deactivate(u) : m.activate(u);
      on[u] = on[u] == 0 ? 1 : 0;
    }
    m.solve([](std::uint32_t) {});
    RC_ASSERT(is_max_min(p, m, on));
  }
}

}  // namespace
}  // namespace weft::simulate
