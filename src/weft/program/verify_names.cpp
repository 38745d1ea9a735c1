#include <algorithm>

#include <fmt/format.h>

#include "weft/program/verify_walk.hpp"

namespace weft::program {
namespace {

/// Counters of the repeats around a task, outermost first.
bool counters(const Program& p, const std::vector<Item>& body, TaskId task, std::vector<VarId>& out) {
  for (const Item& item : body) {
    if (item.kind == Item::Kind::task && item.index == task) return true;
    if (item.kind != Item::Kind::repeat) continue;
    out.push_back(p.repeats[item.index].var);
    if (counters(p, p.repeats[item.index].body, task, out)) return true;
    out.pop_back();
  }
  return false;
}

}  // namespace

std::string site_text(const Program& program, SiteId site) {
  for (const Space& space : program.spaces) {
    std::int64_t flat = flat_in(space, site);
    if (flat < 0) continue;
    std::string text;
    for (std::size_t k = space.shape.size(); k > 0; --k) {
      text = fmt::format("{}{}{}", flat % space.shape[k - 1], text.empty() ? "" : ",", text);
      flat /= space.shape[k - 1];
    }
    return fmt::format("{}[{}]", space.name, text);
  }
  return fmt::format("site {}", site);
}

std::string member_text(const Expansion& e, InstanceId instance, std::uint32_t member) {
  const Program& p = *e.program;
  const Instance& i = e.instances[instance];
  const Task& task = e.task(i);
  std::vector<std::int64_t> env(std::max<std::size_t>(p.vars.size(), 1));
  e.environment(i, e.members[member], env.data());
  std::string text = task.name, values;
  for (const SetIndex& index : task.over) values += fmt::format("{}{}", values.empty() ? "" : ",", env[index.var]);
  if (task.table != kNone) values = fmt::format("row {}", e.members[member].ordinal);
  if (!values.empty()) text += "[" + values + "]";
  std::vector<VarId> around;
  bool found = counters(p, p.body, i.task, around);
  for (std::size_t b = 0; b < p.blocks.size() && !found; ++b) {
    found = counters(p, p.blocks[b].body, i.task, around);
    for (const VarId parameter : p.blocks[b].parameters) {
      if (found) text += fmt::format(" of {} {}={}", p.blocks[b].name, p.vars[parameter], env[parameter]);
    }
  }
  std::string rounds;
  for (const VarId var : around) rounds += fmt::format("{}{}", rounds.empty() ? "" : ".", env[var]);
  return rounds.empty() ? text : text + " of round " + rounds;
}

InstanceId instance_of(const Expansion& e, std::uint32_t member) {
  if (member < e.instances.size() && e.instances[member].first == member && e.instances[member].count > 0)
    return member;
  const auto after = std::ranges::upper_bound(e.instances, member, {}, &Instance::first);
  return static_cast<InstanceId>(after - e.instances.begin() - 1);
}

std::vector<GoalAt> goals_of(const Expansion& e) {
  std::vector<GoalAt> goals;
  for (const CallEnd& end : e.call_ends) {
    for (const Goal& goal : e.program->blocks[end.block].goals) {
      goals.push_back({&goal, end.after, e.environments.data() + end.environment});
    }
  }
  for (const Goal& goal : e.program->goals) {
    goals.push_back({&goal, static_cast<InstanceId>(e.instances.size()), e.environments.data()});
  }
  std::ranges::stable_sort(goals, {}, &GoalAt::after);
  return goals;
}

}  // namespace weft::program
