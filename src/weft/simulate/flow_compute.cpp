// Flow engine: kernels, barriers, launches.
#include <cmath>

#include "weft/simulate/flow_engine.hpp"

namespace weft::simulate {

using program::Cause;

void FlowEngine::advance_compute(std::uint32_t node) {
  State& s = state_[node];
  if (s.busy || s.done == s.grains || s.ended != s.done || s.avail <= s.done) return;
  const Node& n = g_.nodes[node];
  s.busy = true;
  if (n.kind == Node::Kind::control) {
    spans_[node].start = now_;
    spans_[node].resource = n.charge;
    push(now_ + n.duration, Type::work_end, node);
    return;
  }
  enqueue(n.site, node);
}

void FlowEngine::enqueue(std::uint32_t site, std::uint32_t node) {
  const bool host = g_.nodes[node].kind == Node::Kind::launch;
  Site& at = host ? hosts_[site] : sites_[site];
  at.queue.push({now_, g_.nodes[node].instance, node});
  if (at.dirty || at.running != kNone) return;
  at.dirty = true;
  dirty_sites_.push_back(host ? site + g_.site_orbits : site);
}

/// Starts the next grain of an idle site: in order of readiness, then by number.
void FlowEngine::dispatch(std::uint32_t site) {
  Site& at = site < g_.site_orbits ? sites_[site] : hosts_[site - g_.site_orbits];
  at.dirty = false;
  if (at.running != kNone || at.queue.empty() || at.moving != 0) return;
  const std::uint32_t node = at.queue.top().node;
  at.queue.pop();
  at.running = node;
  const State& s = state_[node];
  const Node& n = g_.nodes[node];
  if (s.done == 0) {
    spans_[node].start = now_;
    spans_[node].resource = n.charge;
    if (now_ > spans_[node].ready && at.last != kNone) spans_[node].waited = {Cause::Kind::compute, at.last};
  }
  const auto total = static_cast<double>(n.duration);
  const Tick until = std::llround(total * cuts_.end(node, s.done));
  const Tick from = s.done == 0 ? 0 : std::llround(total * cuts_.end(node, s.done - 1));
  push(now_ + until - from, Type::work_end, node);
}

void FlowEngine::work_ended(std::uint32_t node) {
  State& s = state_[node];
  s.busy = false;
  ++s.done;
  const Node& n = g_.nodes[node];
  if (n.kind != Node::Kind::control) {
    const bool host = n.kind == Node::Kind::launch;
    Site& at = host ? hosts_[n.site] : sites_[n.site];
    at.running = kNone;
    at.last = node;
    for (std::uint32_t move : at.waiting_moves) poke(move);
    at.waiting_moves.clear();
    if (!at.dirty) {
      at.dirty = true;
      dirty_sites_.push_back(host ? n.site + g_.site_orbits : n.site);
    }
  }
  poke(node);
}

}  // namespace weft::simulate
