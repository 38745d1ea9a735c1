// Flow engine: moves. Slots at the gate, arrivals behind it, links handed over as the tail leaves them.
#include <algorithm>
#include <cmath>

#include "weft/simulate/flow_engine.hpp"

namespace weft::simulate {

using program::Cause;

double FlowEngine::grain_bytes(std::uint32_t node, std::uint32_t k) const {
  const auto total = static_cast<double>(g_.nodes[node].bytes);
  if (state_[node].grains == 1) return g_.nodes[node].work;
  const double from = k == 0 ? 0 : cuts_.end(node, k - 1);
  return g_.frames[node].whole(total * (cuts_.end(node, k) - from));
}

/// Time of a full grain when the move is alone.
double FlowEngine::grain_ticks(std::uint32_t node) const {
  return grain_bytes(node, 0) * g_.alone[node];
}

/// Whole grains that a part of the route with this latency can hold.
std::uint32_t FlowEngine::held_by_route(std::uint32_t node, Tick latency) const {
  const double ticks = grain_ticks(node);
  if (latency <= 0 || ticks <= 0) return 0;
  return static_cast<std::uint32_t>(std::min(static_cast<double>(latency) / ticks + 1e-9, 1e9));
}

/// Grains that have left the source.
std::uint32_t FlowEngine::gone(std::uint32_t node) {
  const State& s = state_[node];
  std::uint32_t room = 0;
  if (s.served) {
    if (s.offset == 0) return s.done;
    room = held_by_route(node, s.offset);
  } else {
    if (!s.ready || g_.nodes[node].hops == 0 || now_ < s.ready_at + g_.nodes[node].start_cost) return 0;
    room = held_by_route(node, std::max<Tick>(0, lanes_.first_wait(node)));
  }
  std::uint32_t left = 0;  // a grain needs its own time to enter the route
  const Tick enter = static_cast<Tick>(std::ceil(grain_ticks(node) - 1e-9));
  while (left < s.avail_at.size() && s.avail_at[left] + enter <= now_) ++left;
  return std::min(s.done + std::min(room, left), s.grains);
}

void FlowEngine::advance_move(std::uint32_t node) {
  State& s = state_[node];
  if (s.held && route_has_room(node)) {
    s.held = false;
    complete_slot(node, static_cast<double>(now_));
    update_taken(node);
  }
  if (!s.served && !serve(node)) return;
  if (!s.busy && !s.held && s.done < s.grains) start_slot(node);
}

/// Transport's start, then the lanes. True once the move may draw on its route.
bool FlowEngine::serve(std::uint32_t node) {
  State& s = state_[node];
  const Tick start = s.ready_at + g_.nodes[node].start_cost;
  if (now_ < start) {
    push(start, Type::wake, node);
    return false;
  }
  if (lanes_.blocked(node) != 0) return false;
  s.served = true;
  s.clock = static_cast<double>(start);
  if (s.gate_time > s.clock) {
    s.offset = s.gate_before;
    s.clock = s.gate_time + static_cast<double>(s.gate_before);
  } else {
    s.avail_at.clear();
  }
  return true;
}

void FlowEngine::start_slot(std::uint32_t node) {
  State& s = state_[node];
  if (s.avail <= s.done) {
    s.starving = true;
    return;
  }
  double from = s.clock;
  if (s.offset != 0 && !s.avail_at.empty()) {
    from = std::max(from, static_cast<double>(s.avail_at.front() + s.offset));
  } else if (s.starving) {
    from = std::max(from, static_cast<double>(now_));
  }
  if (s.done != 0) from = std::max(from, s.clock + static_cast<double>(g_.nodes[node].grain_cost));
  if (from > static_cast<double>(now_)) {
    push(up(from), Type::wake, node);
    if (up(from) > now_) return;
  }
  if (!g_.overlaps && sites_compute(node)) {
    s.starving = true;
    return;
  }
  s.starving = false;
  begin(node, from);
}

/// Does an end of the move compute, or is it about to, by number? Then the move is poked when that ends.
bool FlowEngine::sites_compute(std::uint32_t node) {
  for (std::uint32_t site : {g_.nodes[node].site, g_.nodes[node].to}) {
    const auto& queue = sites_[site].queue;
    const bool first = !queue.empty() && queue.top().number < g_.nodes[node].instance;
    if (sites_[site].running == kNone && !first) continue;
    sites_[site].waiting_moves.push_back(node);
    return true;
  }
  return false;
}

void FlowEngine::count_moving(std::uint32_t node, bool begins) {
  if (g_.overlaps) return;
  for (std::uint32_t site : {g_.nodes[node].site, g_.nodes[node].to}) {
    Site& at = sites_[site];
    begins ? ++at.moving : --at.moving;
    if (at.moving != 0 || at.dirty || at.queue.empty()) continue;
    at.dirty = true;
    dirty_sites_.push_back(site);
  }
}

void FlowEngine::begin(std::uint32_t node, double from) {
  State& s = state_[node];
  s.busy = true;
  count_moving(node, true);
  if (s.done == 0) spans_[node].start = std::min(now_, up(from));
  s.left = grain_bytes(node, s.done);
  s.since = from;
  if (g_.alone[node] <= 0 || s.left <= 0) {  // nothing to draw on
    s.left = 0;
    s.rate = 0;
    push(up(from), Type::slot_end, node, ++s.version);
    return;
  }
  if (rates_.active(node) && s.rate > 0) {
    predict(node);
  } else {
    s.rate = 0;
    rates_.activate(node);
  }
}

void FlowEngine::predict(std::uint32_t node) {
  State& s = state_[node];
  push(up(s.since + s.left / s.rate), Type::slot_end, node, ++s.version);
}

/// A stopped move keeps in its route at most latency x rate: the grain a full route ahead must have ended.
bool FlowEngine::route_has_room(std::uint32_t node) const {
  const State& s = state_[node];
  const std::uint32_t ahead = held_by_route(node, g_.nodes[node].latency - s.offset);
  if (ahead == 0) return s.ended == s.done && window_open(node);  // a route that holds no grain passes it on at once
  return s.done < ahead || s.ended + ahead > s.done;
}

void FlowEngine::slot_ended(std::uint32_t node) {
  State& s = state_[node];
  const double at = s.rate > 0 ? s.since + s.left / s.rate : s.since;
  s.left = 0;
  s.busy = false;
  count_moving(node, false);
  if (rates_.active(node)) maybe_idle_.push_back(node);
  const bool windowed = !g_.out_of(node).empty();  // windows can only close on a followed move
  if (windowed && !route_has_room(node)) {
    s.held = true;
  } else {
    complete_slot(node, at);
  }
  poke(node);
}

void FlowEngine::complete_slot(std::uint32_t node, double at) {
  State& s = state_[node];
  ++s.done;
  s.clock = at;
  if (!s.avail_at.empty()) s.avail_at.pop_front();
  if (s.avail <= s.done) s.starving = true;
  push(up(at + static_cast<double>(g_.nodes[node].latency - s.offset)), Type::arrival, node);
  leave_links(node, at);
}

/// Hands over the links that the tail has passed. Links before the gate are passed early: by as many grains as fit between.
void FlowEngine::leave_links(std::uint32_t node, double at) {
  State& s = state_[node];
  const auto hops = g_.hops_of(node);
  while (s.released < hops.size()) {
    const Tick before = hops[s.released].before;
    if (before >= s.offset) {
      if (s.done < s.grains) return;
      const double free = at + static_cast<double>(before - s.offset);
      if (up(free) > now_) {
        push(up(free), Type::handover, node, s.released);
      } else {
        leave(node, s.released, free);
      }
    } else {
      const std::uint32_t ahead = held_by_route(node, s.offset - before);
      if (s.done + ahead < s.grains) return;
      leave(node, s.released,
            s.grains == 1 ? std::max(static_cast<double>(now_), at - static_cast<double>(s.offset - before)) : at);
    }
    ++s.released;
  }
}

void FlowEngine::leave(std::uint32_t node, std::uint32_t hop, double at) {
  handovers_.clear();
  lanes_.leave(node, hop, at, handovers_);
  for (const Lanes::Handover& h : handovers_) {
    State& s = state_[h.node];
    const double source_time = h.at - static_cast<double>(h.before);
    if (source_time > s.gate_time) {
      s.gate_time = source_time;
      s.gate_before = h.before;
      if (s.ready) spans_[h.node].waited = {Cause::Kind::lane, node};
    }
    poke(h.node);
  }
}

}  // namespace weft::simulate
