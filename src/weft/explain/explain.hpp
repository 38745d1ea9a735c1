// Explain: where the time of a Timeline went, and what would help.
//
// The critical path is walked backwards from the span that ends last: from a span at time t to the one that it last waited for.
// Every tick of [0, end] is charged once:
//   * while a span of the path ran, to the resource that bounded its rate (for a control: barrier, launch, reconfigure),
//     except that a move's route latency is charged to "latency" and its transport's start to "start";
//   * while it waited for something that is no span, to "wait for" that thing.
// A span that follows another by a stream is charged from where the other ended: what overlapped belongs to the earlier one.
// So the charges add up to the end exactly (a test holds it), and `exposed` of a tag is the part of the path that its tasks are.
//
// A share is of the whole time. A limit's gain comes from simulating again with that resource 10 % faster: 1 - new / old.
// Nothing here knows an algorithm or a model by name.
#pragma once
#include <string>
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/timeline.hpp"

namespace weft::explain {

/// One stretch of the critical path, latest first.
struct Step {
  std::uint32_t span = 0;  ///< index into Timeline::spans
  Tick from = 0, to = 0;
  std::string charged;  ///< a resource's name, or a wait's
  bool resource = false;
};

struct Charge {
  std::string what;
  bool resource = false;  ///< a name that simulate::Speedup knows
  Tick ticks = 0;
};

struct TagTime {
  std::string tag;
  Tick time = 0;     ///< while at least one of its tasks was under way
  Tick exposed = 0;  ///< of that, on the critical path
};

struct Limit {
  std::string resource;
  double share = 0;  ///< of the time charged to it
  double gain = 0;   ///< part of the time saved were it 10 % faster
};

struct Explanation {
  std::vector<Step> path;
  std::vector<Charge> charges;  ///< largest first; their ticks add up to the Timeline's end
  std::vector<TagTime> tags;    ///< in the order of first start
  std::vector<Limit> limits;    ///< largest gain first
};

struct ExplainOptions {
  std::size_t most_limits = 8;  ///< what-if simulations; 0: none
};

Explanation explain(const program::Timeline& timeline, const program::Expansion& expansion,
                    const machine::Machine& machine, const ExplainOptions& options = {});

/// The two halves, for tests and for those who need only one.
std::vector<Step> critical_path(const program::Timeline& timeline, const program::Expansion& expansion,
                                const machine::Machine& machine);
std::vector<Limit> limits(const program::Timeline& timeline, const std::vector<Charge>& charges,
                          const program::Expansion& expansion, const machine::Machine& machine, std::size_t most);

/// What a task counts for: its tag, or its name where it has none.
const std::string& tag_of(const program::Task& task);

}  // namespace weft::explain
