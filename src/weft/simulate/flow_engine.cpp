#include "weft/simulate/flow_engine.hpp"

#include <algorithm>
#include <cmath>

#include "weft/core/error.hpp"

namespace weft::simulate {

using program::Cause;

FlowEngine::FlowEngine(const Graph& graph)
    : g_(graph),
      cuts_(graph),
      lanes_(graph),
      rates_(static_cast<std::uint32_t>(graph.resource_row.size()), graph.first_use, graph.uses, graph.weight),
      state_(graph.nodes.size()),
      spans_(graph.nodes.size()),
      sites_(graph.site_orbits),
      hosts_(graph.site_orbits),
      stream_done_(graph.streams.size(), 0),
      stream_taken_(graph.streams.size(), 0) {
  for (std::uint32_t n = 0; n < state_.size(); ++n) {
    state_[n].waits = g_.waits[n];
    state_[n].grains = cuts_.grains(n);
    const Node& node = g_.nodes[n];
    spans_[n].instance = node.instance;
    spans_[n].member = node.member;
    spans_[n].of = g_.of[n];
  }
}

Tick FlowEngine::up(double t) {
  const double nearest = std::round(t);
  const double tolerance = 1e-6 + 1e-14 * std::fabs(t);
  return static_cast<Tick>(std::fabs(t - nearest) <= tolerance ? nearest : std::ceil(t));
}

void FlowEngine::push(Tick time, Type type, std::uint32_t node, std::uint32_t tag) {
  queue_.push({std::max(time, now_), (static_cast<std::uint64_t>(type) << 56) | sequence_++, node, tag});
}

void FlowEngine::poke(std::uint32_t node) {
  if (state_[node].poked || state_[node].finished) return;
  state_[node].poked = true;
  pokes_.push_back(node);
}

program::Timeline FlowEngine::run() {
  for (std::uint32_t n = 0; n < state_.size(); ++n) {
    if (state_[n].waits == 0) become_ready(n, kNone);
  }
  drain();
  while (!queue_.empty()) {
    now_ = queue_.top().time;
    while (!queue_.empty() && queue_.top().time == now_) {
      const Event event = queue_.top();
      queue_.pop();
      ++events_;
      handle(event);
    }
    drain();
  }
  program::Timeline t;
  t.clock = g_.clock;
  for (std::uint32_t n = 0; n < state_.size(); ++n) {
    if (!state_[n].finished) stuck();
    t.end = std::max(t.end, spans_[n].end);
  }
  account();
  t.spans = std::move(spans_);
  t.resources = g_.rows;
  for (std::size_t r = 0; r < t.resources.size(); ++r) t.resources[r].busy = row_busy_[r];
  t.events = events_;
  return t;
}

void FlowEngine::handle(const Event& event) {
  const auto type = static_cast<Type>(event.order >> 56U);
  State& s = state_[event.node];
  switch (type) {
    case Type::work_end:
      work_ended(event.node);
      break;
    case Type::arrival:
      ++s.arrived;
      poke(event.node);
      break;
    case Type::handover:
      leave(event.node, event.tag, static_cast<double>(event.time));
      break;
    case Type::slot_end:
      if (event.tag == s.version) slot_ended(event.node);
      break;
    case Type::wake:
      poke(event.node);
      break;
  }
}

/// Everything that follows at this tick: touched nodes, idle sites, rates; until nothing moves.
void FlowEngine::drain() {
  for (;;) {
    while (!pokes_.empty()) {
      const std::uint32_t node = pokes_.front();
      pokes_.pop_front();
      state_[node].poked = false;
      if (!state_[node].finished) advance(node);
    }
    if (!dirty_sites_.empty()) {
      std::vector<std::uint32_t> sites = std::move(dirty_sites_);
      dirty_sites_.clear();
      std::sort(sites.begin(), sites.end());
      for (std::uint32_t s : sites) dispatch(s);
      continue;
    }
    break;
  }
  settle_rates();
}

void FlowEngine::settle_rates() {
  for (std::uint32_t n : maybe_idle_) {
    if (!state_[n].busy) {
      rates_.deactivate(n);
      state_[n].rate = 0;
    }
  }
  maybe_idle_.clear();
  rates_.solve([this](std::uint32_t n) {
    State& s = state_[n];
    if (s.rate > 0 && static_cast<double>(now_) > s.since) {
      s.left = std::max(0.0, s.left - s.rate * (static_cast<double>(now_) - s.since));
      s.since = static_cast<double>(now_);
    }
    s.rate = rates_.rate(n);
    spans_[n].resource = g_.resource_row[rates_.bottleneck(n)];
    predict(n);
  });
}

void FlowEngine::become_ready(std::uint32_t node, std::uint32_t from) {
  State& s = state_[node];
  s.ready_at = now_;
  spans_[node].waited = from == kNone ? Cause{} : Cause{Cause::Kind::task, from};
  if (g_.in(node).empty()) s.avail = s.grains;
  poke(node);
}

void FlowEngine::advance(std::uint32_t node) {
  State& s = state_[node];
  if (s.waits != 0) return;
  update_avail(node);
  if (s.avail == 0) return;
  try_end(node);
  if (s.finished) return;
  if (!s.ready) {
    s.ready = true;
    s.ready_at = std::max(s.ready_at, now_);
    spans_[node].ready = s.ready_at;
  }
  switch (g_.nodes[node].kind) {
    case Node::Kind::move:
      advance_move(node);
      break;
    case Node::Kind::join:
      finish(node);
      break;
    default:
      advance_compute(node);
      break;
  }
}

void FlowEngine::update_avail(std::uint32_t node) {
  State& s = state_[node];
  const auto in = g_.in(node);
  if (in.empty()) return;
  std::uint32_t avail = s.grains;
  std::uint32_t slowest = kNone;
  for (std::uint32_t k = g_.first_in[node]; k < g_.first_in[node + 1]; ++k) {
    const std::uint32_t can = stream_done_[k] == 0 ? 0 : cuts_.to_needed(k, stream_done_[k] - 1);
    if (can < avail || slowest == kNone) {
      avail = std::min(avail, can);
      slowest = g_.streams[k].from;
    }
  }
  if (avail <= s.avail) return;
  if (s.avail == 0 && (g_.waits[node] == 0 || now_ > s.ready_at)) spans_[node].waited = {Cause::Kind::task, slowest};
  if (g_.nodes[node].hops != 0 && (!s.served || s.offset != 0)) {
    for (std::uint32_t k = s.avail; k < avail; ++k) s.avail_at.push_back(now_);
    push(now_ + static_cast<Tick>(std::ceil(grain_ticks(node) - 1e-9)), Type::wake, node);
  }
  s.avail = avail;
}

/// May the next grain of the node end, for all followers with finite windows?
bool FlowEngine::window_open(std::uint32_t node) const {
  const std::uint32_t k = state_[node].ended;
  for (std::uint32_t s : g_.out_of(node)) {
    const std::int64_t w = g_.streams[s].window;
    if (w <= 0) continue;
    const std::uint32_t i = stream_done_[s];
    if (i >= cuts_.edge_grains(s) || cuts_.from_needed(s, i) != k + 1) continue;
    if (static_cast<std::int64_t>(stream_taken_[s]) < static_cast<std::int64_t>(i) - w + 1) return false;
  }
  return true;
}

void FlowEngine::try_end(std::uint32_t node) {
  State& s = state_[node];
  const bool move = g_.nodes[node].kind == Node::Kind::move;
  while (s.ended < (move ? s.arrived : s.done) && window_open(node)) {
    ++s.ended;
    after_end(node);
  }
  update_taken(node);
  if (s.ended == s.grains) finish(node);
}

void FlowEngine::after_end(std::uint32_t node) {
  for (std::uint32_t s : g_.out_of(node)) {
    bool more = false;
    while (stream_done_[s] < cuts_.edge_grains(s) && cuts_.from_needed(s, stream_done_[s]) <= state_[node].ended) {
      ++stream_done_[s];
      more = true;
    }
    if (more) poke(g_.streams[s].to);
  }
}

/// Tells the streams' sources how far this node has taken what it follows: ended for a compute, gone for a move.
void FlowEngine::update_taken(std::uint32_t node) {
  if (g_.in(node).empty()) return;
  State& s = state_[node];
  const std::uint32_t taken = g_.nodes[node].kind == Node::Kind::move ? gone(node) : s.ended;
  if (taken <= s.taken) return;
  s.taken = taken;
  for (std::uint32_t k = g_.first_in[node]; k < g_.first_in[node + 1]; ++k) {
    bool more = false;
    while (stream_taken_[k] < cuts_.edge_grains(k) && cuts_.to_needed(k, stream_taken_[k]) <= taken) {
      ++stream_taken_[k];
      more = true;
    }
    if (more && g_.streams[k].window > 0) poke(g_.streams[k].from);
  }
}

void FlowEngine::finish(std::uint32_t node) {
  State& s = state_[node];
  if (s.finished) return;
  s.finished = true;
  if (g_.nodes[node].kind == Node::Kind::join) spans_[node].start = spans_[node].ready = now_;
  spans_[node].end = now_;
  for (std::uint32_t n : g_.next_of(node)) {
    if (--state_[n].waits == 0) become_ready(n, node);
  }
}

/// Busy time by row: of the busiest unit resource, or the busiest site.
void FlowEngine::account() {
  std::vector<double> unit(g_.resource_row.size(), 0);
  row_busy_.assign(g_.rows.size(), 0);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> site;
  for (std::uint32_t n = 0; n < g_.nodes.size(); ++n) {
    const Node& node = g_.nodes[n];
    for (const MaxMin::Use& u : g_.uses_of(n)) unit[u.resource] += u.per_byte * node.work;
    if (node.charge != kNone) site[{node.charge, node.site}] += static_cast<double>(node.duration);
  }
  for (std::size_t r = 0; r < unit.size(); ++r)
    row_busy_[g_.resource_row[r]] = std::max(row_busy_[g_.resource_row[r]], unit[r]);
  for (const auto& [key, busy] : site) row_busy_[key.first] = std::max(row_busy_[key.first], busy);
}

void FlowEngine::stuck() const {
  for (std::uint32_t n = 0; n < state_.size(); ++n) {
    if (state_[n].finished) continue;
    throw check_error("the Program cannot go on: instance " + std::to_string(g_.nodes[n].instance) +
                      " never ends (a cycle of edges, lanes and windows)");
  }
  internal_error("a finished Program is not stuck");
}

program::Timeline flow(const program::Expansion& expansion, const machine::Machine& machine, const Options& options) {
  const Fold f = fold(expansion, machine, options.fold);
  const Graph g = build_graph(expansion, machine, f, options, true);
  return FlowEngine(g).run();
}

}  // namespace weft::simulate
