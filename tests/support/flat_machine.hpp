// A machine from a list of links: the smallest thing that the engines run on. For tests of meaning, not of machine files.
#pragma once
#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "weft/machine/machine.hpp"

namespace weft::test {

class FlatMachine : public machine::Machine {
 public:
  FlatMachine(std::uint32_t sites, std::uint32_t nodes, double ticks_per_second) {
    name_ = "flat";
    sites_ = sites;
    nodes_ = nodes;
    ticks_ = TickClock{ticks_per_second};
    site_class_of_.assign(sites, 0);
    site_classes_.push_back({"core", {{"memory", Bytes{1LL << 40}, BytesPerSecond{0}, ""}}, ""});
    next_.resize(nodes);
  }
  machine::ClassId link_class_of(std::string name, double bandwidth, double latency_s, std::int64_t frame = 0) {
    machine::LinkClass c;
    c.name = std::move(name);
    c.bandwidth = BytesPerSecond{bandwidth};
    c.latency = Seconds{latency_s};
    if (frame != 0) c.framing = {Bytes{frame}, Seconds{static_cast<double>(frame) / bandwidth}};
    link_classes_.push_back(c);
    return static_cast<machine::ClassId>(link_classes_.size() - 1);
  }
  void link(machine::NodeId from, machine::NodeId to, machine::ClassId cls) {
    next_[from].push_back(static_cast<machine::LinkId>(links_.size()));
    links_.push_back({from, to, cls});
  }
  void both(machine::NodeId a, machine::NodeId b, machine::ClassId cls) {
    link(a, b, cls);
    link(b, a, cls);
  }
  void symmetry(machine::Symmetry s) { symmetries_.push_back(std::move(s)); }
  void tier_bandwidth(double b) { site_classes_[0].tiers[0].bandwidth = BytesPerSecond{b}; }
  void overlap(bool yes) { overlap_ = yes; }
  void barrier(double seconds) { barrier_ = seconds; }
  void reconfigure(double seconds) { reconfigure_ = seconds; }
  void transport(machine::Transport t) { transports_.push_back(std::move(t)); }
  /// Ticks per element (add), multiply-add (matmul, gemm), or fixed by `ticks=`.
  bool route(machine::SiteId src, machine::SiteId dst, std::string_view via,
             std::vector<machine::LinkId>& out) const override {
    std::vector<machine::LinkId> by(nodes_, machine::kNone);
    std::deque<machine::NodeId> queue{src};
    std::vector<char> seen(nodes_, 0);
    seen[src] = 1;
    while (!queue.empty()) {
      const machine::NodeId n = queue.front();
      queue.pop_front();
      for (machine::LinkId l : next_[n]) {
        if (!via.empty() && link_class(l).name != via) continue;
        const machine::NodeId to = links_[l].to;
        if (seen[to] != 0) continue;
        seen[to] = 1;
        by[to] = l;
        queue.push_back(to);
      }
    }
    if (seen[dst] == 0) return false;
    const std::size_t first = out.size();
    for (machine::NodeId n = dst; n != src; n = links_[by[n]].from) out.push_back(by[n]);
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(first), out.end());
    return true;
  }
  std::string_view fabric_between(machine::SiteId, machine::SiteId) const override { return "flat"; }
  std::string site_name(machine::SiteId s) const override { return "core[" + std::to_string(s) + "]"; }
  std::string node_name(machine::NodeId n) const override {
    return n < sites_ ? site_name(n) : "switch[" + std::to_string(n - sites_) + "]";
  }
  machine::KernelCost kernel_cost(machine::SiteId, const machine::Kernel& k,
                                  const machine::KernelScale& scale) const override {
    double ticks = static_cast<double>(k.dim("ticks", 0));
    if (k.op == "add") ticks = static_cast<double>(k.dim("n"));
    if (k.op == "matmul" || k.op == "gemm") ticks = static_cast<double>(k.dim("m") * k.dim("n") * k.dim("k"));
    const Seconds t{ticks / ticks_.ticks_per_second / scale.compute};
    return {t, t, Seconds{0}, Seconds{0}};
  }
  FlopsPerSecond peak(machine::SiteId, machine::DType) const override {
    return FlopsPerSecond{2 * ticks_.ticks_per_second};
  }
  Seconds barrier_time(std::uint32_t) const override { return Seconds{barrier_}; }
  Seconds launch_time() const override { return Seconds{0}; }
  Seconds reconfigure_time() const override { return Seconds{reconfigure_}; }
  bool overlaps() const override { return overlap_; }
  BytesPerSecond bisection() const override { return BytesPerSecond{0}; }
  int diameter_hops() const override { return 0; }

 private:
  std::vector<std::vector<machine::LinkId>> next_;
  bool overlap_ = true;
  double barrier_ = 0, reconfigure_ = 0;
};

/// A row of P processing elements with routers: 1 tick a cycle, 4 B a cycle, ramp up 1, hop 1, ramp down 2.
inline FlatMachine wafer_row(std::uint32_t p) {
  FlatMachine m(p, 2 * p, 1e9);
  const auto up = m.link_class_of("ramp-up", 4e9, 1e-9, 4);
  const auto hop = m.link_class_of("hop", 4e9, 1e-9, 4);
  const auto down = m.link_class_of("ramp-down", 4e9, 2e-9, 4);
  for (std::uint32_t k = 0; k < p; ++k) {
    m.link(k, p + k, up);
    m.link(p + k, k, down);
    if (k != 0) m.both(p + k - 1, p + k, hop);
  }
  return m;
}

/// n sites on one hub; each has a port each way.
inline FlatMachine hub(std::uint32_t n, double bandwidth, double latency_s, double ticks_per_second = 1e9) {
  FlatMachine m(n, n + 1, ticks_per_second);
  const auto port = m.link_class_of("port", bandwidth, latency_s);
  for (std::uint32_t k = 0; k < n; ++k) m.both(k, n, port);
  machine::Symmetry s;
  s.level = "core";
  for (std::uint32_t k = 0; k < n; ++k) s.sites.push_back((k + 1) % n);
  for (std::uint32_t k = 0; k < 2 * n; ++k) s.links.push_back((k + 2) % (2 * n));
  m.symmetry(std::move(s));
  return m;
}

}  // namespace weft::test
