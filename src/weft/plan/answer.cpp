#include "weft/plan/answer.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"
#include "weft/simulate/fold.hpp"
#include "weft/simulate/memory_check.hpp"

namespace weft::plan {
namespace {

/// What-if simulations are worth their time on small Programs; a million tasks get one.
std::size_t affordable_limits(const program::Expansion& expansion) {
  const std::size_t members = std::max<std::size_t>(expansion.members.size(), 1);
  return std::clamp<std::size_t>(1'000'000 / members, 1, 8);
}

/// A verified Program that ends before its goal's bound claims less work than its meaning has: kernels that are too
/// small.
void check_against_bound(Answer& a) {
  if (a.time.value() >= a.bound.time.value() * (1 - 1e-9)) return;
  a.verdict.verified = false;
  a.verdict.faults.push_back(
      {"bound",
       fmt::format("it would end after {}, and its goal needs {} ({}): some kernel says less work than "
                   "what it writes is made of",
                   format_short(a.time), format_short(a.bound.time), a.bound.by),
       0});
  a.timeline = {};
}

}  // namespace

std::string_view name(Engine engine) {
  return engine == Engine::bound ? "bound" : "flow";
}

Engine parse_engine(std::string_view text) {
  if (text == "bound") return Engine::bound;
  if (text == "flow") return Engine::flow;
  throw usage_error(fmt::format("unknown engine '{}'", text), did_you_mean(text, {"bound", "flow"}));
}

Answer answer(program::Program program, const machine::Machine& machine, const AnswerOptions& options) {
  Answer a;
  a.engine = options.engine;
  a.program = std::make_unique<const program::Program>(std::move(program));
  try {
    a.expansion = program::expand(*a.program, machine.sites());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::check_failed) throw;
    a.verdict = program::verify(*a.program, machine);  // form faults, as the verdict words them
    return a;
  }
  a.verdict = program::verify(a.expansion, machine, {.need_goal = true});
  if (!a.verdict.verified) return a;
  a.bound = simulate::goal_bound(*a.program, machine);
  if (options.engine == Engine::bound) {
    a.program_bound = simulate::program_bound(a.expansion, machine);
    a.time = a.program_bound.time;
    check_against_bound(a);
    return a;
  }
  a.timeline = simulate::flow(a.expansion, machine);
  if (!a.verdict.memory_proved) {  // not shown for every timing, so this Timeline decides
    const auto over =
        simulate::memory_overflows(a.expansion, machine, a.timeline, simulate::fold(a.expansion, machine, true));
    if (!over.empty()) {
      a.verdict.verified = false;
      a.verdict.faults.push_back({"memory", simulate::text(over.front(), machine, a.timeline.clock), 0});
      a.timeline = {};
      return a;
    }
  }
  a.time = a.timeline.clock.seconds(a.timeline.end);
  check_against_bound(a);
  if (options.explain && a.verdict.verified)
    a.explanation = explain::explain(a.timeline, a.expansion, machine, {affordable_limits(a.expansion)});
  return a;
}

std::int64_t steps_of(const program::Expansion& expansion) {
  std::vector<std::int64_t> depth(expansion.instances.size(), 0);
  std::int64_t most = 0;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const program::Instance& instance = expansion.instances[i];
    for (const program::InstanceEdge& edge : expansion.edges_of(instance)) {
      if (edge.on < i) depth[i] = std::max(depth[i], depth[edge.on]);
    }
    if (expansion.task(instance).kind == program::Kind::move) ++depth[i];
    most = std::max(most, depth[i]);
  }
  return most;
}

std::int64_t lanes_of(const program::Expansion& expansion) {
  std::set<std::int32_t> lanes;
  for (const program::Member& m : expansion.members) {
    if (m.lane >= 0) lanes.insert(m.lane);
  }
  return static_cast<std::int64_t>(lanes.size());
}

std::optional<Joules> link_energy(const program::Expansion& expansion, const machine::Machine& machine) {
  const auto known = [](const machine::LinkClass& c) { return c.energy.value() > 0; };
  if (std::none_of(machine.link_classes().begin(), machine.link_classes().end(), known)) return std::nullopt;
  double sum = 0;
  std::vector<machine::LinkId> links;
  for (const program::Instance& instance : expansion.instances) {
    const program::Task& task = expansion.task(instance);
    if (task.kind != program::Kind::move) continue;
    for (const program::Member& m : expansion.of(instance)) {
      if (m.list != program::kNone) return std::nullopt;  // a tree's links are not a route's
      links.clear();
      if (!machine.route(m.src, m.dst, task.via, links)) return std::nullopt;
      for (const machine::LinkId link : links) {
        if (!known(machine.link_class(link))) return std::nullopt;
        sum += (machine.link_class(link).energy * Bytes(m.bytes)).value();
      }
    }
  }
  return Joules(sum);
}

}  // namespace weft::plan
