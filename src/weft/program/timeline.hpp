// Timeline: what an engine answers. It has the Program's shape: a row a written instance, members on demand.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/ticks.hpp"
#include "weft/program/expand.hpp"

namespace weft::program {

/// Why a task could not start or finish earlier: the edge or the resource it last waited for.
struct Cause {
  enum class Kind : std::uint8_t { start, task, compute, link, port, transport, lane, window, launch, barrier };
  Kind kind = Kind::start;
  std::uint32_t what = kNone;  ///< node of the Timeline for task/compute/lane/window
};

/// One simulated member (a representative of `of` equal ones).
struct Span {
  Tick ready = 0;  ///< its edges were satisfied
  Tick start = 0;  ///< it began to run or to send
  Tick end = 0;
  InstanceId instance = 0;
  std::uint32_t member = 0;        ///< index into Expansion::members
  std::uint32_t of = 1;            ///< members it stands for
  Cause waited;                    ///< the last thing that held its start
  std::uint32_t resource = kNone;  ///< what bounded its rate most of the time: index into Timeline::resources
};

/// A thing that serves: a link class in the machine, memory ports of a tier, compute of a site class, barrier, launch, transport.
struct Resource {
  std::string name;          ///< "nvlink", "hbm port", "gpu compute", "barrier"
  std::int64_t members = 0;  ///< links or sites behind it
  double busy = 0;           ///< busiest member's busy time, ticks
};

struct Timeline {
  TickClock clock;
  Tick end = 0;
  std::vector<Span> spans;  ///< in the order of (instance, representative)
  std::vector<Resource> resources;
  std::uint64_t events = 0;
};

}  // namespace weft::program
