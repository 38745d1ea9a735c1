// Verify: a Program is proved to do what its goal says, for any timing, or refused with its first offending task.
//
// Values. What lies in a buffer is followed as a 64-bit fingerprint per piece (box) of its tensor. A start gives the
// tensor's own fingerprint, or, under a reducing goal, one per contributing rank; contributions add modulo 2^61-1. A
// move copies; `add` adds; an einsum task contributes its iteration box, product over axes of h(hi) - h(lo), times a
// hash of what it read, so disjoint boxes add up to the whole and only to it; any other kernel is a hash of its
// operation and of what it read. The meaning statements, evaluated on whole tensors, give what the goal expects. A
// wrong Program passes with probability about 2^-50; failing pieces are walked again with exact sets, to name what is
// missing, double or foreign.
//
// The rules, with what they do not see, stand in verify_meaning.hpp (einsums and other kernels on pieces).
//
// Order. Reading needs the last write ordered before it by edges, writing needs the last writes and reads ordered
// before (verify_order.hpp: what a stream orders, and why a window orders nothing). Members of one task are not
// ordered. Deadlock. start/end of every member: after: start(B) needs end(A); streams: start(B) needs start(A), end(B)
// needs end(A); a finite window smaller than A's grains: end(A) needs start(B), and so on down the streams until the
// windows hold all of A (verify_deadlock.cpp); one lane on one link: start of the later number needs the end of the
// earlier. A cycle is a deadlock. `list order` itself never needs more than this. Memory. Lifetimes are those of
// verify_lifetimes.hpp. A Program is safe for any timing where everything fits together, or where edges let later data
// take the place of earlier (memory_proved); it is refused where what must be alive together in any timing does not
// fit; where neither is shown memory_proved is false and the engine's Timeline decides (verify_memory.cpp has the
// rules).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/expand.hpp"

namespace weft::program {

struct Fault {
  std::string task;  ///< its name with indices, "m2[3] of round 4"; "goal" for a goal that is not met
  std::string what;  ///< one sentence: what is wrong, and which chunk, site, contribution
  int line = 0;      ///< of the text, 0 for built Programs
};

struct MemoryUse {
  SiteId fullest = 0;  ///< the site with the largest use
  std::string tier;
  std::int64_t used_bytes = 0, capacity_bytes = 0;  ///< of that site
};

struct Verdict {
  bool verified = false;
  std::vector<Fault> faults;  ///< first offending task first
  bool memory_proved = true;
  std::vector<MemoryUse> memory;          ///< one row a tier: upper bound of what may be alive together
  std::uint32_t taking_part = 0, of = 0;  ///< ranks in the goals, sites of the program's spaces
  std::uint64_t tasks_written = 0, tasks_expanded = 0;
};

struct VerifyOptions {
  bool memory = true;
  std::size_t most_faults = 1;
  bool need_goal = false;  ///< a Program without a goal is a fault: nothing could be shown of it
};

/// Never throws for a wrong Program: faults say it. `memory` overflow of what starts alone is a fault of kind "memory" whose
/// text names the missing bytes.
Verdict verify(const Expansion& expansion, const machine::Machine& machine, const VerifyOptions& options = {});

/// parse-free convenience: expand + verify; form faults become the Verdict's faults.
Verdict verify(const Program& program, const machine::Machine& machine, const VerifyOptions& options = {});

}  // namespace weft::program
