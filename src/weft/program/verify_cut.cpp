// Looks at every box that a Program uses, twice (verify_cells.hpp says why).
#include <algorithm>

#include "weft/program/verify_walk.hpp"

namespace weft::program {
namespace {

using Bounds = std::span<const std::int64_t>;

class Cutter {
 public:
  explicit Cutter(const Expansion& e)
      : e_(e), p_(*e.program), chunks_(p_), env_(std::max<std::size_t>(p_.vars.size(), 1), 0) {
    for (const Tensor& tensor : p_.tensors) cells_.emplace_back(tensor);
  }

  std::vector<Cells> cut() {
    look();
    for (Cells& c : cells_) c.seal_first();
    first_ = false;
    look();
    for (Cells& c : cells_) c.seal();
    return std::move(cells_);
  }

 private:
  void look() {
    starts_and_goals();
    std::vector<std::int64_t> env(env_.size(), 0);
    meaning(p_.meaning, env);
    for (const Instance& i : e_.instances) {
      const Task& task = e_.task(i);
      const bool whole =
          task.kind == Kind::move && task.table == kNone && task.what.by == ChunkRef::By::box && task.what.box.empty();
      if (task.kind == Kind::control || whole) continue;
      for (const Member& m : e_.of(i)) member(i, task, m);
    }
  }

  void member(const Instance& i, const Task& task, const Member& m) {
    if (task.table != kNone) {
      boxes_.bounds.clear();
      chunks_.append_row(task.what.buffer, p_.tables[task.table], m.ordinal, boxes_);
      every(task.what.buffer, boxes_);
      return;
    }
    e_.environment(i, m, env_.data());
    if (task.kind == Kind::move) chunk(task.what, task.cast == Cast::reduce ? m.dst : m.src);
    for (const auto* list : {&task.reads, &task.writes, &task.adds}) {
      for (const ChunkRef& c : *list) chunk(c, m.src);
    }
  }

  void chunk(const ChunkRef& c, SiteId site) {
    if (c.by == ChunkRef::By::box && c.box.empty()) return;
    boxes_.bounds.clear();
    chunks_.append(c, env_.data(), site, boxes_);
    every(c.buffer, boxes_);
  }

  void starts_and_goals() {
    const std::vector<std::int64_t> zero(env_.size(), 0);
    for (const Placement& start : p_.start) {
      for_each_placement(p_, start, zero.data(),
                         [&](const std::int64_t*, SiteId, const FlatBoxes& flat) { every(start.chunk.buffer, flat); });
    }
    std::vector<std::int64_t> bounds;
    for (const GoalAt& at : goals_of(e_)) {
      for_each_requirement(p_, *at.goal, at.env, [&](const Requirement& need) {
        for (const Box& box : need.boxes) {
          bounds.clear();
          for (std::size_t k = 0; k < box.lo.size(); ++k) bounds.insert(bounds.end(), {box.lo[k], box.hi[k]});
          one(p_.buffers[need.buffer].tensor, bounds);
        }
      });
    }
  }

  void meaning(const std::vector<MeaningItem>& items, std::vector<std::int64_t>& env) {
    for (const MeaningItem& item : items) {
      if (item.kind == MeaningItem::Kind::statement) {
        for (const Meaning::Operand& o : item.statement.in) operand(o, env);
        operand(item.statement.out, env);
        continue;
      }
      for (std::int64_t round = 0; round < item.rounds; ++round) {
        env[item.var] = round;
        meaning(item.body, env);
      }
    }
  }

  void operand(const Meaning::Operand& o, const std::vector<std::int64_t>& env) {
    std::vector<std::int64_t> box;
    const std::vector<std::int64_t>& shape = p_.tensors[o.tensor].shape;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const bool whole = o.box.size() <= k || o.box[k].all;
      const std::int64_t lo = whole ? 0 : std::clamp<std::int64_t>(o.box[k].lo.eval(env.data()), 0, shape[k]);
      box.push_back(lo);
      box.push_back(whole ? shape[k] : std::clamp<std::int64_t>(lo + o.box[k].count, lo, shape[k]));
    }
    one(o.tensor, box);
  }

  void every(BufferId buffer, const FlatBoxes& flat) {
    for (std::size_t k = 0; k < flat.count(); ++k) one(p_.buffers[buffer].tensor, flat.box(k));
  }

  void one(TensorId tensor, Bounds box) {
    if (first_) {
      cells_[tensor].cut_first(box);
    } else {
      cells_[tensor].cut_rest(box);
    }
  }

  const Expansion& e_;
  const Program& p_;
  ChunkEvaluator chunks_;
  std::vector<std::int64_t> env_;
  std::vector<Cells> cells_;
  FlatBoxes boxes_;
  bool first_ = true;
};

}  // namespace

std::vector<Cells> cut_cells(const Expansion& e) {
  return Cutter(e).cut();
}

}  // namespace weft::program
