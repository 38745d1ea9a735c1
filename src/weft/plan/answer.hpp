// From a Program to its answer: expand, verify, bound, simulate, explain; once each, in this order. All verbs that time a Program
// share it. A Program that does not verify is answered with its faults and no time.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/explain/explain.hpp"
#include "weft/machine/machine.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/timeline.hpp"
#include "weft/program/verify.hpp"
#include "weft/simulate/simulate.hpp"

namespace weft::plan {

enum class Engine : std::uint8_t { bound, flow };
std::string_view name(Engine engine);
Engine parse_engine(std::string_view text);  ///< throws a usage Error

struct Answer {
  std::unique_ptr<const program::Program> program;  ///< what `expansion` points into
  program::Expansion expansion;
  program::Verdict verdict;
  Engine engine = Engine::flow;
  // Present only where verdict.verified:
  Seconds time{0};                   ///< flow: the Timeline's end; bound: the Program's own bound
  simulate::Bound bound;             ///< of the goal on this machine
  simulate::Bound program_bound;     ///< of the Program; engine bound only
  program::Timeline timeline;        ///< engine flow only
  explain::Explanation explanation;  ///< engine flow only
};

struct AnswerOptions {
  Engine engine = Engine::flow;
  bool explain = true;
};

/// Throws what the layers below throw, but never for a Program that is wrong in itself.
Answer answer(program::Program program, const machine::Machine& machine, const AnswerOptions& options = {});

/// Longest chain of moves along the edges.
std::int64_t steps_of(const program::Expansion& expansion);
/// Different lanes in use.
std::int64_t lanes_of(const program::Expansion& expansion);
/// What the links of all routes spend on the payload; nothing where a link that is used has no known energy.
std::optional<Joules> link_energy(const program::Expansion& expansion, const machine::Machine& machine);

}  // namespace weft::plan
