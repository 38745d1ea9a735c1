// The engines that time a Program: `bound` and `flow`. No engine knows an algorithm's name.
//
// flow: links are shared by moving data. Served moves have rates, max-min fair by weight over every resource they draw on
// (links of the route, memory ports at the ends, transport limits). Streams are followed grain by grain. Exact for
// the Program's expansion; equal sites are simulated once (fold.hpp) and a test compares both.
#pragma once
#include <string>
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/timeline.hpp"

namespace weft::simulate {

/// What-if: the named resource (a Timeline resource's name) serves `factor` times as fast; latencies and starts of a link
/// class or transport shrink by the same factor.
struct Speedup {
  std::string resource;
  double factor = 1;
};

struct Options {
  bool fold = true;
  std::vector<Speedup> faster;
};

/// Throws Error(infeasible) where a move has no route, Error(check_failed) where the Program deadlocks (verify finds it first).
program::Timeline flow(const program::Expansion& expansion, const machine::Machine& machine,
                       const Options& options = {});

struct Bound {
  Seconds time{0};
  std::string by;  ///< the resource or cut that gives it, e.g. "hbm of gpu", "infiniband into node", "latency"
};

/// What no schedule can beat: from the goals, the meaning, the start and the machine alone (roofline, cuts, latency).
/// Payload rates, no software.
Bound goal_bound(const program::Program& program, const machine::Machine& machine);

/// The Program's own bound: its busiest resource, or its longest chain of edges with every task unhindered.
Bound program_bound(const program::Expansion& expansion, const machine::Machine& machine, const Options& options = {});

}  // namespace weft::simulate
