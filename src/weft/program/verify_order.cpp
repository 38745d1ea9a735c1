#include "weft/program/verify_order.hpp"

namespace weft::program {

Order::Order(const Expansion& expansion, std::uint32_t sites)
    : e_(expansion),
      binding_(expansion, sites),
      chains_{{expansion, binding_, Chain::Side::destination}, {expansion, binding_, Chain::Side::source}} {}

bool Order::ordered(InstanceId ai, std::uint32_t a, InstanceId bi, std::uint32_t b, bool strict) {
  if (ai >= bi) return false;
  ++steps_;
  for (const InstanceEdge& edge : e_.edges_of(e_.instances[bi])) {
    if (edge.on != ai || (strict && edge.kind == Edge::Kind::streams)) continue;
    if (binding_.bound(bi, b, edge, a)) return true;
  }
  return all_before(ai, bi, strict) || search(ai, a, bi, b, strict);
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

bool Order::search(InstanceId ai, std::uint32_t a, InstanceId bi, std::uint32_t b, bool strict) {
  seen_.clear();
  queue_.assign(1, {bi, b, !strict});
  while (!queue_.empty()) {
    const Step at = queue_.front();
    queue_.pop_front();
    ++steps_;
    for (const InstanceEdge& edge : e_.edges_of(e_.instances[at.instance])) {
      if (edge.on < ai) continue;
      const bool after = at.after || edge.kind == Edge::Kind::after;
      if (edge.on == ai) {
        if (after && binding_.bound(at.instance, at.member, edge, a)) return true;
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
      const Chain::Reached r = chain.earliest_after(at.instance, at.member, ai);
      const bool after = at.after || r.after;
      if (r.member == at.member) continue;
      if (seen_.insert((std::uint64_t{r.member} << 33) | (1ull << 31) | (after ? 1 : 0)).second)
        queue_.push_front({r.instance, r.member, after});
    }
  }
  return false;
}

}  // namespace weft::program
