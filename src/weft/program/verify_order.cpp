#include "weft/program/verify_order.hpp"

namespace weft::program {

constexpr int kShortCuts = 3;
constexpr int kQuick = 48;

Order::Order(const Expansion& expansion, std::uint32_t sites) : e_(expansion), binding_(expansion, sites) {}

bool Order::ordered(InstanceId ai, std::uint32_t a, InstanceId bi, std::uint32_t b, bool strict) {
  if (ai >= bi) return false;
  ++steps_;
  for (const InstanceEdge& edge : e_.edges_of(e_.instances[bi])) {
    if (edge.on != ai || (strict && edge.kind == Edge::Kind::streams)) continue;
    if (binding_.bound(bi, b, edge, a)) return true;
  }
  if (all_before(ai, bi, strict)) return true;
  const int found = search(ai, a, bi, b, strict);
  return found >= 0 ? found != 0 : behind(ai, a, bi, b, strict);
}

/// By edges that bind every member alone; found once for a pair of instances.
bool Order::all_before(InstanceId ai, InstanceId bi, bool strict) {
  auto& known = all_[strict ? 1 : 0];
  const std::uint64_t key = (std::uint64_t{ai} << 32) | bi;
  if (const auto found = known.find(key); found != known.end()) return found->second;
  seen_.clear();
  stack_.assign(1, {bi, 0, !strict});
  bool yes = false;
  while (!stack_.empty() && !yes) {
    const Step at = stack_.back();
    stack_.pop_back();
    ++steps_;
    for (const InstanceEdge& edge : e_.edges_of(e_.instances[at.instance])) {
      const Instance& on = e_.instances[edge.on];
      if (!edge.all || edge.on < ai || on.count == 0) continue;
      const bool after = at.after || edge.kind == Edge::Kind::after;
      if (edge.on == ai) {
        yes = yes || after;
      } else if (seen_.insert((std::uint64_t{edge.on} << 1) | (after ? 1 : 0)).second) {
        stack_.push_back({edge.on, 0, after});
      }
    }
  }
  known.emplace(key, yes);
  return yes;
}

/// All that is ordered before b, in the order of falling instances, as far down as has been asked for: when every instance later
/// than ai is done, the members of ai that are ordered before b are known. Kept for the next question about the same b.
bool Order::behind(InstanceId ai, std::uint32_t a, InstanceId bi, std::uint32_t b, bool strict) {
  Cone& cone = cone_;
  if (cone.of != b || cone.strict != strict) {
    cone.of = b;
    cone.strict = strict;
    cone.reached.clear();
    cone.open = {};
    cone.open.push({bi, b, !strict});
  }
  const auto reach = [&](InstanceId instance, std::uint32_t m, bool after) {
    ++steps_;
    std::uint8_t& flags = cone.reached[m];
    const auto flag = static_cast<std::uint8_t>(after ? 2 : 1);
    if ((flags & flag) != 0 || flags == 2) return;
    flags = static_cast<std::uint8_t>(flags | flag);
    cone.open.push({instance, m, after});
  };
  while (!cone.open.empty() && cone.open.top().instance > ai) {
    const Step at = cone.open.top();
    cone.open.pop();
    for (const InstanceEdge& edge : e_.edges_of(e_.instances[at.instance])) {
      const bool after = at.after || edge.kind == Edge::Kind::after;
      binding_.each(at.instance, at.member, edge, [&](std::uint32_t m) { reach(edge.on, m, after); });
    }
  }
  const auto found = cone.reached.find(a);
  return found != cone.reached.end() && (found->second & 2) != 0;
}

/// A quick look along short cuts: 1 found, 0 there is nothing more to look at, -1 given up.
int Order::search(InstanceId ai, std::uint32_t a, InstanceId bi, std::uint32_t b, bool strict) {
  seen_.clear();
  queue_.assign(1, {bi, b, !strict});
  for (int tries = 0; !queue_.empty(); ++tries) {
    if (tries == kQuick) return -1;
    const Step at = queue_.front();
    queue_.pop_front();
    ++steps_;
    for (const InstanceEdge& edge : e_.edges_of(e_.instances[at.instance])) {
      if (edge.on < ai) continue;
      const bool after = at.after || edge.kind == Edge::Kind::after;
      if (edge.on == ai) {
        if (after && binding_.bound(at.instance, at.member, edge, a)) return 1;
        continue;
      }
      // Under an `all` edge every member is behind it, and one whole visit of the instance is enough.
      if (edge.all && !seen_.insert((std::uint64_t{edge.on} << 33) | (1ull << 32) | (after ? 1 : 0)).second) continue;
      binding_.each(at.instance, at.member, edge, [&](std::uint32_t m) {
        ++steps_;
        if (seen_.insert((std::uint64_t{m} << 33) | (1ull << 31) | (after ? 1 : 0)).second)
          queue_.push_back({edge.on, m, after});
      });
    }
    for (Chain& chain : chains_) {  // short cuts are tried first; else in the order of distance from b
      // The last of a chain may be a dead end where the one before it is not: several are tried, the latest first.
      InstanceId floor = ai;
      for (int k = 0; k < kShortCuts; ++k) {
        const Chain::Reached r = chain.earliest_after(at.instance, at.member, floor);
        if (r.member == at.member) break;
        const bool after = at.after || r.after;
        if (seen_.insert((std::uint64_t{r.member} << 33) | (1ull << 31) | (after ? 1 : 0)).second)
          queue_.push_front({r.instance, r.member, after});
        floor = r.instance;
      }
    }
  }
  return 0;
}

}  // namespace weft::program
