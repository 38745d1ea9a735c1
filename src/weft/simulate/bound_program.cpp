// The Program's own bound: what its tasks cost if nothing ever waited for anything but its edges.
//
//   load   of a link, port or site: sum of the service times of all that uses it. No schedule of these tasks ends sooner.
//   chain  longest path of edges: after: start(B) >= end(A); streams: start(B) >= start(A) + A's first grain,
//          end(B) >= end(A) + B's last grain; end >= start + own time. Moves at payload rates, with latencies, without software.
#include <algorithm>
#include <cmath>
#include <map>

#include "weft/simulate/graph.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::simulate {
namespace {

struct Times {
  double start = 0, end = 0;
};

bool is_move(const Node& n) {
  return n.kind == Node::Kind::move;
}

/// Time of the part of a node between two fractions of it, latency included for moves.
double part(const Graph& g, std::uint32_t n, double from, double to) {
  const Node& node = g.nodes[n];
  if (is_move(node))
    return static_cast<double>(node.bytes) * (to - from) * g.alone[n] + static_cast<double>(node.latency);
  const auto d = static_cast<double>(node.duration);
  return static_cast<double>(std::llround(d * to) - std::llround(d * from));
}

void relax(const Graph& g, std::uint32_t n, std::vector<Times>& t) {
  Times& own = t[n];
  for (const Stream& s : g.in(n)) {
    const auto pieces = static_cast<double>(s.grains());
    const double first = pieces <= 1 ? 1 : static_cast<double>(s.grain) / static_cast<double>(s.bytes);
    own.start = std::max(own.start, t[s.from].start + part(g, s.from, 0, first));
  }
  own.end = std::max(own.end, own.start + part(g, n, 0, 1));
  for (const Stream& s : g.in(n)) {
    const double last =
        s.grains() <= 1 ? 0 : static_cast<double>((s.grains() - 1) * s.grain) / static_cast<double>(s.bytes);
    own.end = std::max(own.end, t[s.from].end + part(g, n, last, 1));
  }
}

double longest_chain(const Graph& g) {
  const auto n = static_cast<std::uint32_t>(g.nodes.size());
  std::vector<std::uint32_t> waits = g.waits;
  for (const Stream& s : g.streams) ++waits[s.to];
  std::vector<Times> t(n);
  std::vector<std::uint32_t> ready;
  for (std::uint32_t k = n; k-- > 0;) {
    if (waits[k] == 0) ready.push_back(k);
  }
  double end = 0;
  while (!ready.empty()) {
    const std::uint32_t k = ready.back();
    ready.pop_back();
    relax(g, k, t);
    end = std::max(end, t[k].end);
    for (std::uint32_t next : g.next_of(k)) {
      t[next].start = std::max(t[next].start, t[k].end);
      if (--waits[next] == 0) ready.push_back(next);
    }
    for (std::uint32_t s : g.out_of(k)) {
      if (--waits[g.streams[s].to] == 0) ready.push_back(g.streams[s].to);
    }
  }
  return end;
}

}  // namespace

Bound program_bound(const program::Expansion& expansion, const machine::Machine& machine, const Options& options) {
  const Fold f = fold(expansion, machine, options.fold);
  const Graph g = build_graph(expansion, machine, f, options, false);
  std::vector<double> unit(g.resource_row.size(), 0);
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> site;
  for (std::uint32_t n = 0; n < g.nodes.size(); ++n) {
    const Node& node = g.nodes[n];
    for (const MaxMin::Use& u : g.uses_of(n)) unit[u.resource] += u.per_byte * static_cast<double>(node.bytes);
    if (node.kind == Node::Kind::compute) site[{node.site, node.charge}] += static_cast<double>(node.duration);
  }
  double most = 0;
  std::string by = "nothing";
  const auto offer = [&](double ticks, const std::string& name) {
    if (ticks > most) {
      most = ticks;
      by = name;
    }
  };
  for (std::size_t r = 0; r < unit.size(); ++r) offer(unit[r], g.rows[g.resource_row[r]].name);
  for (auto it = site.begin(); it != site.end();) {  // a site is busy with all it computes, whatever bounds each kernel
    double total = 0, largest = 0;
    std::uint32_t row = it->first.second;
    const std::uint32_t at = it->first.first;
    for (; it != site.end() && it->first.first == at; ++it) {
      total += it->second;
      if (it->second > largest) {
        largest = it->second;
        row = it->first.second;
      }
    }
    offer(total, g.rows[row].name);
  }
  offer(longest_chain(g), "longest chain");
  return {Seconds(most / g.clock.ticks_per_second), by};
}

}  // namespace weft::simulate
