// The graph that engines run: one node an orbit of members (fold.hpp), with everything resolved to numbers.
//
//   node       a representative compute, move or control, or a join (the end of a whole instance, for `after all` edges)
//   resource   one unit of time a tick: a link (of its orbit's representative), a memory port, a transport's rate limit
//   use        node x resource: ticks of the resource for a byte of the node's payload, times the orbit's moves that cross it
//   streams    edges that are followed grain by grain, cut by the rules of cuts.hpp
//
// Nothing here knows a time that has passed; flow.cpp and bound.cpp both read it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/timeline.hpp"
#include "weft/simulate/fold.hpp"
#include "weft/simulate/maxmin.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::simulate {

inline constexpr std::uint32_t kNone = ~0u;

struct Hop {
  std::uint32_t link = 0;  ///< link orbit
  Tick before = 0;         ///< latency from the source to this link
};

struct Node {
  enum class Kind : std::uint8_t { compute, move, control, launch, join };
  Kind kind = Kind::join;
  program::InstanceId instance = 0;
  std::uint32_t member = kNone;
  std::uint32_t site = kNone;  ///< site orbit: compute, launch; move: its source
  std::uint32_t to = kNone;    ///< move: site orbit of its destination
  std::int64_t bytes = 0;      ///< move: payload; compute: written
  double work = 0;             ///< move: payload with whole frames, bytes
  Tick duration = 0;           ///< compute, control, launch
  Tick latency = 0;            ///< move: sum over the route
  Tick start_cost = 0;         ///< move: transport's start
  Tick grain_cost = 0;         ///< move: transport's start of a grain
  std::int32_t lane = -1;
  std::uint32_t first_hop = 0, hops = 0;  ///< moves with a lane
  std::uint32_t charge = kNone;           ///< compute, control: index into Graph::resources
  std::uint32_t software = kNone;         ///< move: transport's row in Graph::resources
};

/// A stream edge between nodes: `to` follows `from`.
struct Stream {
  std::uint32_t from = 0, to = 0;
  std::int64_t grain = 0, bytes = 0;  ///< of `from`
  std::int64_t window = 0;
  std::int64_t grains() const { return grain <= 0 || bytes <= 0 ? 1 : (bytes + grain - 1) / grain; }
};

/// Frames of a node's route: whole frames of one grain.
struct FrameRule {
  std::int64_t payload = 0;  ///< 0: none
  double whole(double bytes) const;
};

struct Graph {
  std::vector<Node> nodes;
  std::vector<FrameRule> frames;  ///< by node
  // uses by node (CSR); nodes that use nothing have an empty range
  std::vector<std::uint32_t> first_use;
  std::vector<MaxMin::Use> uses;
  std::vector<double> weight;
  std::vector<double>
      alone;  ///< ticks a byte when alone: the slowest use without its orbit's multiplicity; 0 if no uses
  std::vector<Hop> hops;
  // edges
  std::vector<std::uint32_t> first_next, next;     ///< `after`, CSR by waited-for node
  std::vector<std::uint32_t> waits;                ///< `after` edges into each node
  std::vector<Stream> streams;                     ///< by `to`
  std::vector<std::uint32_t> first_in, first_out;  ///< CSR of streams by node; out lists indices
  std::vector<std::uint32_t> out;
  std::vector<std::uint32_t> of;  ///< orbit size of each node
  // resources
  std::vector<std::uint32_t> resource_row;  ///< of each unit resource: index into rows
  std::vector<program::Resource> rows;      ///< what reports name
  std::uint32_t site_orbits = 0;
  bool overlaps = true;  ///< may a site compute while it sends or receives?
  TickClock clock;

  std::span<const MaxMin::Use> uses_of(std::uint32_t n) const {
    return {uses.data() + first_use[n], first_use[n + 1] - first_use[n]};
  }
  std::span<const Stream> in(std::uint32_t n) const {
    return {streams.data() + first_in[n], first_in[n + 1] - first_in[n]};
  }
  std::span<const std::uint32_t> out_of(std::uint32_t n) const {
    return {out.data() + first_out[n], first_out[n + 1] - first_out[n]};
  }
  std::span<const Hop> hops_of(std::uint32_t n) const { return {hops.data() + nodes[n].first_hop, nodes[n].hops}; }
  std::span<const std::uint32_t> next_of(std::uint32_t n) const {
    return {next.data() + first_next[n], first_next[n + 1] - first_next[n]};
  }
};

/// `software` false leaves out transports' starts, efficiencies and limits (the bound's view).
/// Throws Error(infeasible) naming the two sites where a move has no route.
Graph build_graph(const program::Expansion& expansion, const machine::Machine& machine, const Fold& fold,
                  const Options& options, bool software);

}  // namespace weft::simulate
