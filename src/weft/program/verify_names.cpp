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

std::vector<Cells> cut_cells(const Expansion& e) {
  const Program& p = *e.program;
  std::vector<Cells> cells;
  for (const Tensor& tensor : p.tensors) cells.emplace_back(tensor);
  ChunkEvaluator chunks(p);
  FlatBoxes boxes;
  std::vector<std::int64_t> env(std::max<std::size_t>(p.vars.size(), 1));
  const auto every_box = [&](auto&& visit) {
    const auto all = [&](BufferId buffer, const FlatBoxes& flat) {
      for (std::size_t k = 0; k < flat.count(); ++k) visit(cells[p.buffers[buffer].tensor], flat.box(k));
    };
    const std::vector<std::int64_t> zero(env.size(), 0);
    for (const Placement& start : p.start) {
      for_each_placement(p, start, zero.data(), [&](const std::int64_t*, SiteId, const FlatBoxes& flat) { all(start.chunk.buffer, flat); });
    }
    for (const GoalAt& at : goals_of(e)) {
      for_each_requirement(p, *at.goal, at.env, [&](const Requirement& need) {
        for (const Box& box : need.boxes) {
          boxes.bounds.clear();
          for (std::size_t k = 0; k < box.lo.size(); ++k) boxes.bounds.insert(boxes.bounds.end(), {box.lo[k], box.hi[k]});
          visit(cells[p.buffers[need.buffer].tensor], std::span<const std::int64_t>(boxes.bounds));
        }
      });
    }
    const auto chunk = [&](const ChunkRef& c, SiteId site) {
      if (c.by == ChunkRef::By::box && c.box.empty()) return;
      boxes.bounds.clear();
      chunks.append(c, env.data(), site, boxes);
      all(c.buffer, boxes);
    };
    for (const Instance& i : e.instances) {
      const Task& task = e.task(i);
      if (task.kind == Kind::control || (task.kind == Kind::move && task.table == kNone && task.what.box.empty())) continue;
      for (const Member& m : e.of(i)) {
        if (task.table != kNone) {
          boxes.bounds.clear();
          chunks.append_row(task.what.buffer, p.tables[task.table], m.ordinal, boxes);
          all(task.what.buffer, boxes);
          continue;
        }
        e.environment(i, m, env.data());
        if (task.kind == Kind::move) chunk(task.what, m.src);
        for (const auto* list : {&task.reads, &task.writes, &task.adds}) {
          for (const ChunkRef& c : *list) chunk(c, m.src);
        }
      }
    }
  };
  const auto meaning_boxes = [&](auto&& visit) {
    std::vector<std::int64_t> box, mine(env.size(), 0);
    const std::function<void(const std::vector<MeaningItem>&)> walk = [&](const std::vector<MeaningItem>& items) {
      for (const MeaningItem& item : items) {
        for (std::int64_t round = 0; item.kind == MeaningItem::Kind::repeat && round < item.rounds; ++round) {
          mine[item.var] = round;
          walk(item.body);
        }
        if (item.kind == MeaningItem::Kind::repeat) continue;
        std::vector<Meaning::Operand> operands = item.statement.in;
        operands.push_back(item.statement.out);
        for (const Meaning::Operand& o : operands) {
          box.clear();
          for (std::size_t k = 0; k < p.tensors[o.tensor].shape.size(); ++k) {
            const bool whole = o.box.size() <= k || o.box[k].all;
            const std::int64_t most = p.tensors[o.tensor].shape[k];
            const std::int64_t lo = whole ? 0 : std::clamp<std::int64_t>(o.box[k].lo.eval(mine.data()), 0, most);
            box.push_back(lo);
            box.push_back(whole ? most : std::clamp<std::int64_t>(lo + o.box[k].count, lo, most));
          }
          visit(cells[o.tensor], std::span<const std::int64_t>(box));
        }
      }
    };
    walk(p.meaning);
  };
  const auto first = [](Cells& c, std::span<const std::int64_t> box) { c.cut_first(box); };
  const auto rest = [](Cells& c, std::span<const std::int64_t> box) { c.cut_rest(box); };
  every_box(first);
  meaning_boxes(first);
  for (Cells& c : cells) c.seal_first();
  every_box(rest);
  meaning_boxes(rest);
  for (Cells& c : cells) c.seal();
  return cells;
}

}  // namespace weft::program
