// Nodes are the start and the end of every plain task, and two for each instance ("all have started", "all have ended")
// through which edges that bind every member go, so that a barrier over n sites costs n and not n^2.
//
// Windows reach further than one task: A's last grain needs B's grain n - w taken, and B gets no further than D, which
// streams B, lets it. So the end of A needs the start of every task down its streams until the windows on the way add
// up to all of A's grains. A move on the way has taken what has left its source, so what its route holds counts too:
// the whole grains in latency x bandwidth of its slowest link, and none where that is less than a grain. That is the
// most it can hold; at a lower, shared rate it holds less. Times are the engine's to know: a Program that only such a
// grain keeps going is not refused here, and an engine that sees it stop says so. Only tasks that wait for something
// else than the stream they follow can close a cycle.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "weft/program/verify_checks.hpp"

namespace weft::program {
namespace {

class WaitsFor {
 public:
  WaitsFor(const Expansion& e, const machine::Machine& m)
      : e_(e),
        m_(m),
        binding_(e, m.sites()),
        members_(static_cast<std::uint32_t>(e.members.size())),
        nodes_(2 * (e.members.size() + e.instances.size())) {}

  bool matters() {
    for (const Instance& i : e_.instances) {
      if (e_.task(i).lane) lanes_ = true;
    }
    for (const InstanceEdge& edge : e_.edges) windows_ = windows_ || edge.window > 0;
    return lanes_ || windows_;
  }

  void build() {
    for (InstanceId k = 0; k < e_.instances.size(); ++k) {
      const Instance& i = e_.instances[k];
      for (std::uint32_t m = i.first; m < i.first + i.count; ++m) {
        need(end(m), start(m));
        if (i.count > 1) need(all_start(k), start(m));
        if (i.count > 1) need(all_end(k), end(m));
        for (const InstanceEdge& edge : e_.edges_of(i)) bind(k, m, edge);
      }
    }
    if (lanes_) queue_lanes();
    reach_through_windows();
    lay_out();
  }

  /// Tasks of a cycle in the order in which they wait for each other; empty: none.
  std::vector<std::uint32_t> cycle() {
    std::vector<std::uint8_t> colour(nodes_, 0);
    std::vector<std::uint32_t> path, at(nodes_, 0);
    for (std::uint32_t root = 0; root < nodes_; ++root) {
      if (colour[root] != 0) continue;
      path.assign(1, root);
      colour[root] = 1;
      at[root] = first_[root];
      while (!path.empty()) {
        const std::uint32_t node = path.back();
        if (at[node] == first_[node + 1]) {
          colour[node] = 2;
          path.pop_back();
          continue;
        }
        const std::uint32_t next = to_[at[node]++];
        if (colour[next] == 1) return members_of(path, next);
        if (colour[next] == 2) continue;
        colour[next] = 1;
        at[next] = first_[next];
        path.push_back(next);
      }
    }
    return {};
  }

 private:
  std::uint32_t start(std::uint32_t m) const { return 2 * m; }
  std::uint32_t end(std::uint32_t m) const { return 2 * m + 1; }
  std::uint32_t all_start(InstanceId k) const {
    return e_.instances[k].count == 1 ? start(e_.instances[k].first) : 2 * (members_ + k);
  }
  std::uint32_t all_end(InstanceId k) const {
    return e_.instances[k].count == 1 ? end(e_.instances[k].first) : 2 * (members_ + k) + 1;
  }
  void need(std::uint32_t who, std::uint32_t what) { pairs_.emplace_back(who, what); }

  bool finite(const InstanceEdge& edge, std::int64_t bytes) const {
    if (edge.kind != Edge::Kind::streams || edge.window <= 0 || edge.grain.value() <= 0) return false;
    return edge.window < (bytes + edge.grain.value() - 1) / edge.grain.value();
  }

  void bind(InstanceId k, std::uint32_t m, const InstanceEdge& edge) {
    const bool streams = edge.kind == Edge::Kind::streams;
    if (edge.all) {
      if (e_.instances[edge.on].count == 0) return;
      need(start(m), streams ? all_start(edge.on) : all_end(edge.on));
      if (!streams) return;
      need(end(m), all_end(edge.on));
      const Instance& on = e_.instances[edge.on];
      for (std::uint32_t a = on.first; a < on.first + on.count; ++a) {
        if (!finite(edge, e_.members[a].bytes)) continue;
        if (m == e_.instances[k].first) need(end(a), all_start(k));
        if (on.count == 1) follows(a, m, edge);
      }
      return;
    }
    binding_.each(k, m, edge, [&](std::uint32_t a) {
      need(start(m), streams ? start(a) : end(a));
      if (!streams) return;
      need(end(m), end(a));
      if (!finite(edge, e_.members[a].bytes)) return;
      need(end(a), start(m));
      follows(a, m, edge);
    });
  }

  /// b follows a through a window that is this fraction of a.
  void follows(std::uint32_t a, std::uint32_t b, const InstanceEdge& edge) {
    const double grain = static_cast<double>(edge.grain.value()) / static_cast<double>(e_.members[a].bytes);
    windows_of_.push_back(
        {a, b, static_cast<float>(grain * static_cast<double>(edge.window)), static_cast<float>(grain)});
  }

  void reach_through_windows() {
    std::vector<std::uint8_t> waits(members_, 0);  // needs of each start: more than the one stream it follows
    for (const auto& [who, what] : pairs_) {
      if (who >= 2 * members_ || who % 2 != 0) continue;
      const bool stream = what < 2 * members_ && what % 2 == 0;
      waits[who / 2] = static_cast<std::uint8_t>(std::min(waits[who / 2] + (stream ? 1 : 2), 2));
    }
    if (std::ranges::none_of(windows_of_, [&](const Window& w) { return waits[w.follower] > 1; })) return;
    std::ranges::stable_sort(windows_of_, {}, &Window::leader);
    std::vector<std::uint32_t> at(members_ + 1, 0);
    for (const Window& w : windows_of_) ++at[w.leader + 1];
    for (std::uint32_t m = 0; m < members_; ++m) at[m + 1] += at[m];
    std::vector<std::pair<std::uint32_t, float>> stack;
    for (std::uint32_t a = 0; a < members_; ++a) {
      stack.assign(1, {a, 1.0F});
      for (int steps = 0; !stack.empty() && steps < kMostSteps; ++steps) {
        const auto [m, left] = stack.back();
        stack.pop_back();
        for (std::uint32_t k = at[m]; k < at[m + 1]; ++k) {
          const Window& w = windows_of_[k];
          const float rest = left - w.fraction - (m == a ? 0.0F : in_flight(m, w.grain));
          if (rest <= 1e-5F) continue;
          if (m != a && waits[w.follower] > 1) need(end(a), start(w.follower));
          stack.emplace_back(w.follower, rest);
        }
      }
    }
  }

  /// What a move's route holds, in whole grains, as a fraction of all its bytes.
  float in_flight(std::uint32_t m, float grain) {
    const Member& member = e_.members[m];
    if (member.src == member.dst) return 0;
    const auto [known, fresh] = held_.try_emplace(m, 0.0);
    const Task& task = e_.task(e_.instances[instance_of(e_, m)]);
    for (const SiteId from : fresh ? sources_of(e_, task, member) : std::span<const SiteId>{}) {
      for (const SiteId to : destinations_of(e_, task, member))
        known->second = std::max(known->second, held(from, to, task.via));
    }
    const double grains = known->second / (static_cast<double>(grain) * static_cast<double>(member.bytes));
    return static_cast<float>(std::floor(grains + 1e-6)) * grain;
  }

  /// Latency x bandwidth of the slowest link, in bytes.
  double held(SiteId from, SiteId to, const std::string& via) {
    route_.clear();
    if (from == to || !m_.route(from, to, via, route_)) return 0;
    double latency = 0, slowest = std::numeric_limits<double>::infinity();
    for (const machine::LinkId link : route_) {
      latency += m_.link_class(link).latency.value();
      slowest = std::min(slowest, m_.link_class(link).bandwidth.value());
    }
    return latency * slowest;
  }

  /// On each link, the moves of one lane are served by number; those of one number share.
  void queue_lanes() {
    struct Queue {
      InstanceId last = kNone;
      std::vector<std::uint32_t> before, now;
    };
    absl::flat_hash_map<std::uint64_t, Queue> queues;
    std::vector<machine::LinkId> route;
    for (InstanceId k = 0; k < e_.instances.size(); ++k) {
      const Instance& i = e_.instances[k];
      if (e_.task(i).kind != Kind::move) continue;
      for (std::uint32_t m = i.first; m < i.first + i.count; ++m) {
        if (e_.members[m].lane < 0) continue;
        links_of(e_, m_, e_.task(i), e_.members[m], route);
        for (const machine::LinkId link : route) {
          Queue& q = queues[(std::uint64_t{link} << 32) | static_cast<std::uint32_t>(e_.members[m].lane)];
          if (q.last != k) {
            q.before.swap(q.now);
            q.now.clear();
            q.last = k;
          }
          q.now.push_back(m);
          for (const std::uint32_t a : q.before) need(start(m), end(a));
        }
      }
    }
  }

  void lay_out() {
    first_.assign(nodes_ + 1, 0);
    for (const auto& [who, what] : pairs_) ++first_[who + 1];
    for (std::size_t k = 0; k < nodes_; ++k) first_[k + 1] += first_[k];
    to_.resize(pairs_.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [who, what] : pairs_) to_[next[who]++] = what;
    pairs_ = {};
  }

  std::vector<std::uint32_t> members_of(const std::vector<std::uint32_t>& path, std::uint32_t from) const {
    std::vector<std::uint32_t> members;
    for (auto node = std::ranges::find(path, from); node != path.end(); ++node) {
      if (*node < 2 * members_ && (members.empty() || members.back() != *node / 2)) members.push_back(*node / 2);
    }
    if (members.size() > 1 && members.front() == members.back()) members.pop_back();
    return members;
  }

  static constexpr int kMostSteps = 4096;  ///< followers looked at for one task
  struct Window {
    std::uint32_t leader, follower;
    float fraction, grain;
  };
  const Expansion& e_;
  const machine::Machine& m_;
  Binding binding_;
  std::uint32_t members_;
  std::size_t nodes_;
  bool lanes_ = false, windows_ = false;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::vector<Window> windows_of_;
  absl::flat_hash_map<std::uint32_t, double> held_;  ///< bytes, by move
  std::vector<machine::LinkId> route_;
  std::vector<std::uint32_t> first_, to_;
};

}  // namespace

void check_deadlock(const Expansion& e, const machine::Machine& m, std::vector<PlacedFault>& out) {
  WaitsFor graph(e, m);
  if (!graph.matters()) return;
  graph.build();
  const std::vector<std::uint32_t> cycle = graph.cycle();
  if (cycle.empty()) return;
  const auto name = [&](std::uint32_t member) { return member_text(e, instance_of(e, member), member); };
  std::string text = "deadlock: ";
  for (std::size_t k = 0; k < cycle.size() && k < 12; ++k)
    text += fmt::format("{}{}", k > 0 ? " waits for " : "", name(cycle[k]));
  if (cycle.size() > 12) text += fmt::format(" waits for ... ({} tasks)", cycle.size());
  text += fmt::format(" waits for {} (edges, order in lanes and windows close a cycle)", name(cycle[0]));
  const std::uint32_t first = *std::ranges::min_element(cycle);
  out.push_back({first, {name(first), text, e.task(e.instances[instance_of(e, first)]).line}});
}

}  // namespace weft::program
