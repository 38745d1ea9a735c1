// What no schedule can beat: from goals, meaning, start and machine alone.
//
// Cuts. For a set X of nodes of the machine, what must enter X divided by the bandwidth of the links into X, and the same
// for leaving. Sets: each site; each component of each level; each half of the sites; with the switches that only they use.
// Of n ranks with x in X, 0 < x < n, and S the operation's tensor (one rank's copy of it where every rank has one):
//
//   operation        enters X                 leaves X                all ranks together (no multicast, no reduction on the way)
//   broadcast        S if the root is out     S if the root is in     (n-1) S
//   reduce           S if the root is in      S if the root is out    (n-1) S
//   all-reduce       S                        S                       2 (n-1) S
//   reduce-scatter   S x/n                    S (n-x)/n               (n-1) S
//   all-gather       S (n-x)/n                S x/n                   (n-1) S
//   all-to-all       S x (n-x)/n^2            the same                S (n-1)/n          (S: all ranks' data)
//   deliver          distinct pieces          distinct pieces         -
//
// (all-reduce: a rank's addend cannot shrink, and every rank needs a sum that depends on the other side. Together: a piece takes n-1
// additions, each fed by a move of it, and n-1 moves to reach the others.) Latency: the farthest pair that must communicate.
// Roofline. Flops of the einsums over the peak of all sites; bytes of started tensors that einsums read once over the memory
// bandwidth of the sites where they lie.
#include <algorithm>
#include <map>
#include <set>

#include "weft/program/goals.hpp"
#include "weft/simulate/bound_cuts.hpp"
#include "weft/simulate/bound_roofline.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::simulate {
namespace {

using machine::SiteId;
using program::Goal;
using program::GoalKind;

struct Best {
  double seconds = 0;
  std::string by = "nothing";
  void offer(double s, const std::string& name) {
    if (s > seconds) {
      seconds = s;
      by = name;
    }
  }
};

struct Operation {
  GoalKind kind;
  std::vector<SiteId> ranks;
  std::vector<char> is_rank;  ///< by site
  SiteId root = 0;
  double bytes = 0;  ///< S
};

/// Bytes that must enter and leave a set with x of the n ranks.
std::pair<double, double> crossing(const Operation& o, double x, bool root_inside) {
  const auto n = static_cast<double>(o.ranks.size());
  switch (o.kind) {
    case GoalKind::broadcast:
    case GoalKind::send_recv:
      return root_inside ? std::pair{0.0, o.bytes} : std::pair{o.bytes, 0.0};
    case GoalKind::reduce:
      return root_inside ? std::pair{o.bytes, 0.0} : std::pair{0.0, o.bytes};
    case GoalKind::all_reduce:
      return {o.bytes, o.bytes};
    case GoalKind::reduce_scatter:
      return {o.bytes * x / n, o.bytes * (n - x) / n};
    case GoalKind::all_gather:
      return {o.bytes * (n - x) / n, o.bytes * x / n};
    case GoalKind::all_to_all:
      return {o.bytes * x * (n - x) / (n * n), o.bytes * x * (n - x) / (n * n)};
    default:
      return {0, 0};
  }
}

double together(const Operation& o) {
  const auto n = static_cast<double>(o.ranks.size());
  switch (o.kind) {
    case GoalKind::all_reduce:
      return 2 * (n - 1) * o.bytes;
    case GoalKind::all_to_all:
      return o.bytes * (n - 1) / n;
    case GoalKind::send_recv:
      return o.bytes;
    case GoalKind::broadcast:
    case GoalKind::reduce:
    case GoalKind::reduce_scatter:
    case GoalKind::all_gather:
      return (n - 1) * o.bytes;
    default:
      return 0;
  }
}

void bound_cuts(const Operation& o, const machine::Machine& m, Best& best) {
  for (const CutFamily& family : cut_families(m)) {
    std::vector<double> inside(family.sets, 0);
    std::vector<char> root(family.sets, 0);
    for (SiteId s : o.ranks) {
      if (family.set_of_site[s] != kNoSet) ++inside[family.set_of_site[s]];
    }
    if (family.set_of_site[o.root] != kNoSet) root[family.set_of_site[o.root]] = 1;
    for (std::uint32_t k = 0; k < family.sets; ++k) {
      if (inside[k] == 0 || inside[k] == static_cast<double>(o.ranks.size())) continue;
      const auto [enter, leave] = crossing(o, inside[k], root[k] != 0);
      if (enter > 0 && family.in[k] > 0) best.offer(enter / family.in[k], "links into " + family.name);
      if (leave > 0 && family.out[k] > 0) best.offer(leave / family.out[k], "links out of " + family.name);
    }
  }
}

void bound_together(const Operation& o, const machine::Machine& m, Best& best) {
  for (const machine::LinkClass& c : m.link_classes()) {
    if (c.multicast || c.reduces) return;
  }
  double in = 0, out = 0;  // a move ends at a rank or passes on through one, whose ports it then uses as well
  for (const machine::Link& l : m.links()) {
    const double b = m.link_classes()[l.cls].bandwidth.value();
    if (l.to < m.sites()) in += b;
    if (l.from < m.sites()) out += b;
  }
  if (std::min(in, out) > 0) best.offer(together(o) / std::min(in, out), "links of all ranks together");
}

void bound_latency(const Operation& o, const machine::Machine& m, Best& best) {
  std::vector<machine::LinkId> way;
  const SiteId hub = o.root;
  for (SiteId s : o.ranks) {
    for (const auto& [a, b] : {std::pair{hub, s}, std::pair{s, hub}}) {
      if (a == b) continue;
      if (a == hub && o.kind == GoalKind::reduce) continue;
      if (b == hub && (o.kind == GoalKind::broadcast || o.kind == GoalKind::send_recv)) continue;
      way.clear();
      if (!m.route(a, b, "", way)) continue;
      double latency = 0;
      for (machine::LinkId l : way) latency += m.link_class(l).latency.value();
      best.offer(latency, "latency");
    }
  }
}

/// Every rank has the whole tensor from the start: nothing has to move, except to be added.
bool starts_everywhere(const program::Program& p, const Goal& goal, const std::vector<SiteId>& ranks) {
  if (program::reducing(goal.kind)) return false;
  std::set<SiteId> holders;
  for (const program::Placement& s : p.start) {
    if (s.chunk.buffer != goal.buffer || !s.over.empty() || !std::ranges::all_of(s.chunk.box, &program::AxisRange::all))
      continue;
    std::vector<SiteId> at;
    const std::vector<std::int64_t> env(p.vars.size(), 0);
    program::sites_of(p, s.at, env.data(), at);
    holders.insert(at.begin(), at.end());
  }
  return std::ranges::all_of(ranks, [&](SiteId s) { return holders.contains(s); });
}

void bound_operation(const program::Program& p, const Goal& goal, const machine::Machine& m, Best& best) {
  Operation o;
  o.kind = goal.kind;
  const std::vector<std::int64_t> env(p.vars.size(), 0);
  o.ranks = program::ranks_of(p, goal, env.data());
  if (o.ranks.size() < 2 || starts_everywhere(p, goal, o.ranks)) return;
  o.root = o.ranks.front();
  if (!goal.place.empty()) {
    std::vector<SiteId> root;
    program::sites_of(p, goal.place.front().at, env.data(), root);
    if (!root.empty()) o.root = root.front();
  }
  const program::Tensor& tensor = p.tensors[p.buffers[goal.buffer].tensor];
  o.bytes = static_cast<double>(tensor.bytes(tensor.volume()).value());
  bound_cuts(o, m, best);
  bound_together(o, m, best);
  bound_latency(o, m, best);
}

/// Length of the union of intervals.
std::int64_t covered(std::vector<std::pair<std::int64_t, std::int64_t>>& parts) {
  std::sort(parts.begin(), parts.end());
  std::int64_t sum = 0, reach = INT64_MIN;
  for (const auto& [lo, hi] : parts) {
    if (hi <= reach) continue;
    sum += hi - std::max(lo, reach);
    reach = hi;
  }
  return sum;
}

/// Pieces of a table: those that must enter (or leave) each set, each distinct piece once.
void bound_deliver(const program::Program& p, const Goal& goal, const machine::Machine& m, Best& best) {
  const program::Table& table = p.tables[goal.table];
  const program::Tensor& tensor = p.tensors[p.buffers[goal.buffer].tensor];
  if (tensor.shape.size() < 2) return;
  std::int64_t row_cells = 1;
  for (std::size_t a = 2; a < tensor.shape.size(); ++a) row_cells *= tensor.shape[a];
  const double row_bytes = static_cast<double>(tensor.bytes(tensor.volume()).value()) /
                           static_cast<double>(tensor.volume()) * static_cast<double>(row_cells);
  const program::Space& space = p.spaces[table.space];
  using Key = std::pair<std::uint32_t, std::uint32_t>;
  using Parts = std::map<Key, std::vector<std::pair<std::int64_t, std::int64_t>>>;
  for (const CutFamily& family : cut_families(m)) {
    Parts enter, leave;
    for (const program::Table::Row& r : table.rows) {
      const std::uint32_t a = family.set_of_site[space.site(r.from)];
      const std::uint32_t b = family.set_of_site[space.site(r.to)];
      if (a == b || r.count == 0) continue;
      if (b != kNoSet) enter[{b, r.lead}].emplace_back(r.first, r.first + r.count);
      if (a != kNoSet) leave[{a, r.lead}].emplace_back(r.first, r.first + r.count);
    }
    const auto offer = [&](Parts& parts, const std::vector<double>& bandwidth, const std::string& name) {
      std::vector<double> bytes(family.sets, 0);
      for (auto& [key, list] : parts) bytes[key.first] += static_cast<double>(covered(list)) * row_bytes;
      for (std::uint32_t k = 0; k < family.sets; ++k) {
        if (bytes[k] > 0 && bandwidth[k] > 0) best.offer(bytes[k] / bandwidth[k], name + family.name);
      }
    };
    offer(enter, family.in, "links into ");
    offer(leave, family.out, "links out of ");
  }
}

}  // namespace

Bound goal_bound(const program::Program& program, const machine::Machine& machine) {
  Best best;
  for (const Goal& goal : program.goals) {
    if (goal.kind == GoalKind::deliver) {
      bound_deliver(program, goal, machine, best);
    } else if (goal.kind != GoalKind::place) {
      bound_operation(program, goal, machine, best);
    }
  }
  for (const Roof& roof : roofline(program, machine)) best.offer(roof.seconds, roof.by);
  return {Seconds(best.seconds), best.by};
}

}  // namespace weft::simulate
