// Laws of each fabric: how many links, which way, how far.
#include <gtest/gtest.h>

#include <cstdlib>

#include "weft/machine/testing.hpp"

namespace weft::machine {
namespace {

using namespace testing;

struct Case {
  const char* what;
  std::string text;
  std::uint32_t sites, nodes;
  std::size_t links;
  int diameter;
  double bisection_gb;
};

TEST(Fabrics, CountsDiameterAndBisectionFollowTheirFormulas) {
  const std::vector<Case> cases{
      {"switch", over_leaves("kind: switch, " + kLink, 6), 6, 7, 12, 2, 3},
      {"exchange", over_leaves("kind: exchange, " + kLink, 5), 5, 6, 10, 2, 2},
      {"full-mesh", over_leaves("kind: full-mesh, " + kLink, 6), 6, 6, 30, 1, 9},
      {"ring", over_leaves("kind: ring, " + kLink, 6), 6, 6, 12, 3, 2},
      {"ring of two", over_leaves("kind: ring, " + kLink, 2), 2, 2, 2, 1, 1},
      {"mesh", over_leaves("kind: mesh, shape: [3, 5], " + kLink, 15), 15, 15, 2 * (3 * 4 + 5 * 2), 6, 3},
      {"torus", over_leaves("kind: torus, shape: [4, 6], " + kLink, 0), 24, 24, 96, 5, 8},
      {"torus of three dimensions", over_leaves("kind: torus, shape: [4, 4, 4], " + kLink, 0), 64, 64, 384, 6, 32},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const auto m = parse(c.text, "t.yaml");
    EXPECT_EQ(m->sites(), c.sites);
    EXPECT_EQ(m->nodes(), c.nodes);
    EXPECT_EQ(m->links().size(), c.links);
    EXPECT_EQ(m->diameter_hops(), c.diameter);
    EXPECT_DOUBLE_EQ(m->bisection().value(), c.bisection_gb * 1e9);
  }
}

TEST(Fabrics, EveryRouteIsAPathNoLongerThanTheDiameterAndTheSameEveryTime) {
  const std::string ramps =
      ", ramp-up: {bandwidth: 1 GB/s, latency: 1 ns, source: x}, ramp-down: {bandwidth: 1 GB/s, latency: 2 ns, source: "
      "x}";
  for (const std::string& fabric :
       {"kind: switch, " + kLink, "kind: full-mesh, " + kLink, "kind: ring, " + kLink,
        "kind: mesh, shape: [4, 3], " + kLink, "kind: torus, shape: [4, 3], " + kLink,
        "kind: torus, shape: [2, 6], " + kLink, "kind: mesh, shape: [2, 3, 2], " + kLink + ramps,
        "kind: torus, shape: [3, 4], " + kLink + ramps}) {
    SCOPED_TRACE(fabric);
    const auto m = parse(over_leaves(fabric, 12), "t.yaml");
    const std::size_t ramp = m->nodes() == 24 ? 2 : 0;
    std::size_t longest = 0;
    for (SiteId a = 0; a < 12; ++a) {
      EXPECT_TRUE(route(*m, a, a).empty());
      for (SiteId b = 0; b < 12; ++b) {
        if (a == b) continue;
        const auto links = route(*m, a, b);
        ASSERT_TRUE(is_path(*m, a, b, links)) << a << " to " << b;
        EXPECT_EQ(links, route(*m, a, b));
        longest = std::max(longest, links.size() - ramp);
      }
    }
    EXPECT_EQ(longest, static_cast<std::size_t>(m->diameter_hops()));
  }
}

TEST(Fabrics, MeshGoesAlongItsRowFirst) {
  const auto m = parse(over_leaves("kind: mesh, shape: [4, 4], " + kLink, 16), "t.yaml");
  const auto links = route(*m, 1, 14);  // (0,1) to (3,2)
  ASSERT_EQ(links.size(), 4U);
  EXPECT_EQ(m->links()[links[0]].to, 2U);
  EXPECT_EQ(m->links()[links[1]].to, 6U);
}

TEST(Fabrics, TorusTakesTheShorterWayAndTiesUpwards) {
  const auto m = parse(over_leaves("kind: torus, shape: [1, 6], " + kLink, 6), "t.yaml");
  EXPECT_EQ(route(*m, 0, 5).size(), 1U);
  EXPECT_EQ(route(*m, 0, 4).size(), 2U);
  const auto tie = route(*m, 0, 3);
  ASSERT_EQ(tie.size(), 3U);
  EXPECT_EQ(m->links()[tie[0]].to, 1U);
}

TEST(Fabrics, GivenLinksTakeTheFewestHopsAndPassChildrenOnlyWhereTheyRelay) {
  const std::string classes = "classes: {wire: {bandwidth: 1 GB/s, latency: 10 ns, source: x}}, ";
  const std::string chain = "links: [{from: 0, to: 1, class: wire}, {from: 1, to: 2, class: wire}]";
  const auto relay = parse(over_leaves("kind: links, relay: true, " + classes + chain, 3), "t.yaml");
  EXPECT_EQ(route(*relay, 0, 2).size(), 2U);
  const auto none = parse(over_leaves("kind: links, relay: false, " + classes + chain, 3), "t.yaml");
  std::vector<LinkId> out;
  EXPECT_FALSE(none->route(0, 2, "", out));
  const std::string tree =
      "nodes: [s, t], links: [{from: 0, to: s, class: wire}, {from: 1, to: s, class: wire}, {from: s, to: t, class: "
      "wire}, {from: 2, to: t, class: wire}]";
  const auto irregular = parse(over_leaves("kind: links, relay: false, " + classes + tree, 3), "t.yaml");
  EXPECT_EQ(route(*irregular, 0, 1).size(), 2U);
  EXPECT_EQ(route(*irregular, 0, 2).size(), 3U);
  EXPECT_EQ(irregular->diameter_hops(), 3);
  EXPECT_EQ(irregular->node_name(3), "s");
}

TEST(Fabrics, AnOneWayLinkIsNoWayBack) {
  const auto m =
      parse(over_leaves("kind: links, relay: false, classes: {wire: {bandwidth: 1 GB/s, latency: 10 ns, source: x}}, "
                        "links: [{from: 0, to: 1, class: wire, both: false}]",
                        2),
            "t.yaml");
  std::vector<LinkId> out;
  EXPECT_TRUE(m->route(0, 1, "", out));
  EXPECT_FALSE(m->route(1, 0, "", out));
}

TEST(Trees, ARouteClimbsOnlyToTheLowestCommonFabric) {
  const auto m = parse(nested("kind: switch, ends: leaves, " + kLink, 3, "kind: switch, " + kLink, 4), "t.yaml");
  EXPECT_EQ(m->sites(), 12U);
  EXPECT_EQ(m->fabric_between(0, 3), "in");
  EXPECT_EQ(m->fabric_between(0, 4), "out");
  EXPECT_EQ(route(*m, 0, 4).size(), 2U);
  EXPECT_EQ(m->site_name(7), "node[1].pe[3]");
  const auto links = route(*m, 0, 1);
  EXPECT_EQ(m->link_name(links[0]), "node[0].pe[0] -> node[0].in-hub");
  EXPECT_EQ(route(*m, 0, 1, "out").size(), 2U) << "a fabric above may be asked for by name";
  EXPECT_TRUE(route(*m, 0, 1, "nowhere").empty());
}

TEST(Trees, NicsAreSharedByNeighbouringLeaves) {
  const std::string nics =
      "kind: switch, ends: nics, share: 2, nic_link: {bandwidth: 2 GB/s, latency: 1 ns, source: x}, ";
  const auto m = parse(nested(nics + kLink, 2, "kind: switch, " + kLink, 4), "t.yaml");
  const auto a = route(*m, 0, 4), b = route(*m, 1, 5);
  ASSERT_EQ(a.size(), 4U);
  EXPECT_TRUE(is_path(*m, 0, 4, a));
  EXPECT_NE(a[0], b[0]);
  EXPECT_EQ(a[1], b[1]) << "neighbours meet at their NIC";
  EXPECT_NE(a[1], route(*m, 2, 6)[1]);
  EXPECT_EQ(m->node_name(m->links()[a[0]].to), "out-nic[0]");
}

TEST(Trees, AMeshOfSwitchesGoesThroughTheirHubs) {
  const auto m =
      parse(nested("kind: mesh, shape: [2, 2], ends: hubs, " + kLink, 4, "kind: switch, " + kLink, 3), "t.yaml");
  const auto links = route(*m, 0, 11);
  EXPECT_EQ(links.size(), 4U);
  EXPECT_TRUE(is_path(*m, 0, 11, links));
  EXPECT_EQ(m->diameter_hops(), 4);
}

TEST(Failures, ARouteGoesRoundWhereTheFabricCan) {
  const std::string failed = "failed: [\"pe[0] -> pe[1]\"]\n";
  const auto ring = parse(over_leaves("kind: ring, " + kLink, 6, failed), "t.yaml");
  EXPECT_EQ(ring->links().size(), 11U);
  EXPECT_EQ(route(*ring, 0, 1).size(), 5U);
  EXPECT_TRUE(is_path(*ring, 0, 1, route(*ring, 0, 1)));
  EXPECT_EQ(route(*ring, 1, 0).size(), 1U);
  const auto mesh =
      parse(over_leaves("kind: mesh, shape: [2, 2], " + kLink, 4, "failed: [\"pe[0][0] -- pe[0][1]\"]\n"), "t.yaml");
  EXPECT_EQ(route(*mesh, 0, 1).size(), 3U);
  const auto hub = parse(over_leaves("kind: switch, " + kLink, 4, "failed: [\"pe[2] -> net-hub\"]\n"), "t.yaml");
  std::vector<LinkId> out;
  EXPECT_FALSE(hub->route(2, 0, "", out));
  EXPECT_TRUE(hub->route(0, 2, "", out));
  const auto full = parse(over_leaves("kind: full-mesh, " + kLink, 4, failed), "t.yaml");
  EXPECT_FALSE(full->route(0, 1, "", out)) << "the children of a full mesh pass nothing on unless they relay";
  const auto relay = parse(over_leaves("kind: full-mesh, relay: true, " + kLink, 4, failed), "t.yaml");
  EXPECT_EQ(route(*relay, 0, 1).size(), 2U);
}

TEST(Failures, ABrokenScaleUpPortIsReachedOverTheScaleOutFabric) {
  const auto m = parse(nested("kind: switch, ends: leaves, " + kLink, 2, "kind: switch, " + kLink, 2,
                              "failed: [\"node[0].pe[0] -> node[0].in-hub\"]\n"),
                       "t.yaml");
  const auto links = route(*m, 0, 1);
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(m->node_name(m->links()[links[0]].to), "out-hub");
}

}  // namespace
}  // namespace weft::machine
