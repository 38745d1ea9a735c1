// Is every symmetry an automorphism that also maps routes to routes, and are equal sites found equal?
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "weft/machine/testing.hpp"

namespace weft::machine {
namespace {

using namespace testing;

void expect_automorphisms(const Machine& m) {
  for (const Symmetry& s : m.symmetries()) {
    ASSERT_EQ(s.sites.size(), m.sites());
    ASSERT_EQ(s.links.size(), m.links().size());
    EXPECT_EQ(std::set<SiteId>(s.sites.begin(), s.sites.end()).size(), m.sites());
    EXPECT_EQ(std::set<LinkId>(s.links.begin(), s.links.end()).size(), m.links().size());
    for (SiteId v = 0; v < m.sites(); ++v) EXPECT_EQ(m.site_class_id(v), m.site_class_id(s.sites[v]));
    for (LinkId l = 0; l < m.links().size(); ++l) {
      const Link &a = m.links()[l], &b = m.links()[s.links[l]];
      EXPECT_EQ(a.cls, b.cls);
      if (a.from < m.sites()) {
        EXPECT_EQ(s.sites[a.from], b.from);
      }
      if (a.to < m.sites()) {
        EXPECT_EQ(s.sites[a.to], b.to);
      }
    }
    for (SiteId a = 0; a < m.sites(); ++a) {
      for (SiteId b = 0; b < m.sites(); ++b) {
        auto image = route(m, a, b);
        for (LinkId& l : image) l = s.links[l];
        EXPECT_EQ(image, route(m, s.sites[a], s.sites[b])) << a << " to " << b;
      }
    }
  }
}

/// Number of classes of sites that the symmetries leave apart.
std::size_t orbits(const Machine& m) {
  std::vector<SiteId> root(m.sites());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](SiteId v) {
    while (root[v] != v) v = root[v];
    return v;
  };
  for (const Symmetry& s : m.symmetries()) {
    for (SiteId v = 0; v < m.sites(); ++v) root[find(v)] = find(s.sites[v]);
  }
  std::set<SiteId> all;
  for (SiteId v = 0; v < m.sites(); ++v) all.insert(find(v));
  return all.size();
}

TEST(Symmetries, EqualChildrenAreEqual) {
  const std::vector<std::pair<std::string, std::size_t>> cases{
      {over_leaves("kind: switch, " + kLink, 6), 1},
      {over_leaves("kind: full-mesh, " + kLink, 5), 1},
      {over_leaves("kind: ring, " + kLink, 6), 1},
      {over_leaves("kind: torus, shape: [3, 4], " + kLink, 12), 1},
      {over_leaves("kind: mesh, shape: [2, 3], " + kLink, 6), 6},
      {nested("kind: switch, ends: leaves, " + kLink, 3, "kind: switch, " + kLink, 4), 1},
      {nested("kind: ring, ends: hubs, " + kLink, 3, "kind: switch, " + kLink, 2), 1},
      {nested("kind: switch, ends: nics, share: 2, nic_link: {bandwidth: 2 GB/s, latency: 1 ns, source: x}, " + kLink,
              2, "kind: switch, " + kLink, 4),
       1},  // a rotation by whole NICs, and the two of one NIC change places
  };
  for (const auto& [text, want] : cases) {
    SCOPED_TRACE(text);
    const auto m = parse(text, "t.yaml");
    expect_automorphisms(*m);
    EXPECT_EQ(orbits(*m), want);
  }
}

TEST(Symmetries, AFailedLinkOnlySplitsClasses) {
  const auto one = parse(over_leaves("kind: switch, " + kLink, 6, "failed: [\"pe[2] -> net-hub\"]\n"), "t.yaml");
  expect_automorphisms(*one);
  EXPECT_EQ(orbits(*one), 2U);
  const auto deep = parse(nested("kind: switch, ends: leaves, " + kLink, 3, "kind: switch, " + kLink, 4,
                                 "failed: [\"node[1].pe[2] -> out-hub\"]\n"),
                          "t.yaml");
  expect_automorphisms(*deep);
  EXPECT_EQ(orbits(*deep), 3U) << "the broken one, its neighbours, and the other nodes' leaves";
}

TEST(Symmetries, AnUnequalPortIsItsOwnClass) {
  const auto m = parse(
      over_leaves(
          "kind: switch, except: [{ends: [0, 3], link: {bandwidth: 2 GB/s, latency: 1 ns, source: x}}], " + kLink, 6),
      "t.yaml");
  expect_automorphisms(*m);
  EXPECT_EQ(orbits(*m), 2U);
}

TEST(Symmetries, CircuitsGoByNameSoNoneIsClaimed) {
  EXPECT_TRUE(load(WEFT_SOURCE_DIR "/tests/machines/racks.yaml")->symmetries().empty());
}

TEST(Symmetries, ThousandGpusAreOneClass) {
  const auto m = load("dgx-h100*128");
  EXPECT_EQ(orbits(*m), 1U);
  EXPECT_EQ(m->symmetries().size(), 2U);
}

}  // namespace
}  // namespace weft::machine
