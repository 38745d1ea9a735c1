// Does an independent simulator share bandwidth as we do? Random flow sets on two hubs joined by a trunk, solved by SimGrid's
// max-min model (CM02 without its TCP corrections) and by the flow engine: every completion within 1 %.
#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>

#include <map>
#include <string>
#include <vector>

#include "support/flat_machine.hpp"
#include "weft/core/random.hpp"
#include "weft/program/builder.hpp"
#include "weft/simulate/simulate.hpp"

namespace {

namespace sg = simgrid::s4u;

struct Flow {
  std::uint32_t from, to;
  std::int64_t bytes;
};

/// One random case: `n` hosts, the first half on hub 0, the rest on hub 1, ports of unequal speed.
struct Case {
  std::uint32_t n = 0;
  std::vector<double> out, in;  ///< bytes a second
  double trunk = 0;
  std::vector<Flow> flows;
  std::uint32_t hub(std::uint32_t host) const { return host < n / 2 ? 0 : 1; }
};

Case random_case(std::uint64_t id) {
  std::uint64_t k = 0;
  const auto below = [&](std::uint64_t bound) { return weft::random_below(7, id, k++, bound); };
  Case c;
  c.n = static_cast<std::uint32_t>(4 + 2 * below(6));
  for (std::uint32_t h = 0; h < c.n; ++h) {
    c.out.push_back(1e6 * static_cast<double>(1 + below(10)));
    c.in.push_back(1e6 * static_cast<double>(1 + below(10)));
  }
  c.trunk = 1e6 * static_cast<double>(1 + below(20));
  const std::uint64_t flows = 1 + below(40);
  for (std::uint64_t f = 0; f < flows; ++f) {
    const auto from = static_cast<std::uint32_t>(below(c.n));
    const auto to = static_cast<std::uint32_t>((from + 1 + below(c.n - 1)) % c.n);
    c.flows.push_back({from, to, static_cast<std::int64_t>(10'000 + below(5'000'000))});
  }
  return c;
}

/// All cases in one SimGrid run, on platforms that share nothing: end times in seconds.
std::vector<std::vector<double>> solve_with_simgrid(const std::vector<Case>& cases) {
  int argc = 1;
  std::string name = "oracle";
  std::vector<char*> argv{name.data(), nullptr};
  sg::Engine engine(&argc, argv.data());
  for (const char* setting : {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0",
                              "network/weight-S:0", "network/loopback-bw:1e12"}) {
    sg::Engine::set_config(setting);
  }
  auto* zone = sg::create_full_zone("all");
  std::vector<std::vector<double>> ends(cases.size());
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const Case& k = cases[c];
    ends[c].resize(k.flows.size());
    const std::string id = "c" + std::to_string(c);
    const auto link = [&](const std::string& n, double bandwidth) {
      return zone->create_link(id + n, bandwidth)->set_latency(0)->seal();
    };
    std::vector<sg::Link*> out, in;
    for (std::uint32_t h = 0; h < k.n; ++h) {
      out.push_back(link("o" + std::to_string(h), k.out[h]));
      in.push_back(link("i" + std::to_string(h), k.in[h]));
    }
    sg::Link* trunk[2] = {link("t0", k.trunk), link("t1", k.trunk)};
    for (std::size_t f = 0; f < k.flows.size();
         ++f) {  // a pair of hosts for each flow, so that every flow has its own route
      const Flow& flow = k.flows[f];
      auto* a = zone->create_host(id + "a" + std::to_string(f), 1e9)->seal();
      auto* b = zone->create_host(id + "b" + std::to_string(f), 1e9)->seal();
      std::vector<sg::LinkInRoute> route{sg::LinkInRoute(out[flow.from])};
      if (k.hub(flow.from) != k.hub(flow.to)) route.emplace_back(trunk[k.hub(flow.from)]);
      route.emplace_back(in[flow.to]);
      zone->add_route(a->get_netpoint(), b->get_netpoint(), nullptr, nullptr, route, false);
    }
  }
  zone->seal();
  for (std::size_t c = 0; c < cases.size(); ++c) {
    for (std::size_t f = 0; f < cases[c].flows.size(); ++f) {
      const std::string id = "c" + std::to_string(c);
      auto* a = engine.host_by_name(id + "a" + std::to_string(f));
      auto* b = engine.host_by_name(id + "b" + std::to_string(f));
      const auto bytes = static_cast<double>(cases[c].flows[f].bytes);
      sg::Actor::create("flow", a, [a, b, bytes, &ends, c, f] {
        sg::Comm::sendto(a, b, static_cast<std::uint64_t>(bytes));
        ends[c][f] = sg::Engine::get_clock();
      });
    }
  }
  engine.run();
  return ends;
}

std::vector<double> solve_with_weft(const Case& c) {
  using namespace weft;           // NOLINT(google-build-using-namespace)
  using namespace weft::program;  // NOLINT(google-build-using-namespace)
  test::FlatMachine m(c.n, c.n + 2, 1e12);
  const auto trunk = m.link_class_of("trunk", c.trunk, 0);
  m.both(c.n, c.n + 1, trunk);
  for (std::uint32_t h = 0; h < c.n; ++h) {
    m.link(h, c.n + c.hub(h), m.link_class_of("out" + std::to_string(h), c.out[h], 0));
    m.link(c.n + c.hub(h), h, m.link_class_of("in" + std::to_string(h), c.in[h], 0));
  }
  Builder b("flows");
  const auto s = b.space("s", {c.n});
  for (std::size_t f = 0; f < c.flows.size(); ++f) {
    const auto x = b.tensor("x" + std::to_string(f), {1}, Bytes{c.flows[f].bytes});
    b.move("m" + std::to_string(f)).what(b.chunk(x)).from(s, {one(c.flows[f].from)}).to(s, {one(c.flows[f].to)});
  }
  const Program p = b.take();
  const Timeline t = simulate::flow(expand(p, c.n), m);
  std::vector<double> ends;
  for (const Span& span : t.spans) ends.push_back(t.clock.seconds(span.end).value());
  return ends;
}

TEST(Oracle, SimGridSharesBandwidthAlike) {
  std::vector<Case> cases;
  for (std::uint64_t id = 0; id < 60; ++id) cases.push_back(random_case(id));
  const auto theirs = solve_with_simgrid(cases);
  double worst = 0;
  std::size_t flows = 0;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const auto ours = solve_with_weft(cases[c]);
    ASSERT_EQ(ours.size(), theirs[c].size());
    for (std::size_t f = 0; f < ours.size(); ++f, ++flows) {
      ASSERT_GT(theirs[c][f], 0);
      worst = std::max(worst, std::abs(ours[f] / theirs[c][f] - 1));
      ASSERT_NEAR(ours[f] / theirs[c][f], 1, 0.01) << "case " << c << " flow " << f;
    }
  }
  EXPECT_GT(flows, 500u);
  RecordProperty("worst_relative_difference", std::to_string(worst));
}

}  // namespace
