// Builder: how algorithms and strategies write a Program without juggling ids. Every name is resolved at once; a wrong name
// is an internal error (a writer's bug), not a user's. The Builder keeps no state beyond the Program it writes.
//
//   Builder b("ring all-gather");
//   const SpaceId gpu = b.space("gpu", {8});
//   const TensorId x = b.tensor("x", {8, 2}, Bytes(64 << 20));      // or b.tensor("x", {64}, DType::f32)
//   const Lin j = var(b.var("j"));
//   b.start(b.chunk(x, {one(j), all()}), b.at(gpu, {one(j)}));
//   b.goal(GoalKind::all_gather, x, b.at(gpu, {all()}));
//   b.repeat(7, "s", [&](VarId s) {
//     b.move("m").what(b.chunk(x, {one(mod(j - var(s), 8)), all()})).from(gpu, {one(j)}).to(gpu, {one(mod(j + 1, 8))}).after("m", 1);
//   });
//   Program p = b.take();
//
// A set index that stands alone in a site axis ranges over that axis unless `over` says otherwise (text_infer.hpp), and `all()`
// as the site of a compute is a set over that axis. An edge may name a task that is written later in the same repeat (with
// `back` >= 1). Tensors and buffers may be declared in any order: a TensorId is the BufferId of the tensor's own buffer at once,
// the ids of further buffers stand for their places in Program::buffers only after take().
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "weft/program/program.hpp"

namespace weft::program {

/// Linear index arithmetic for writers: `2*j + i - 1`, then mod(…, 8) or flip(…, 4).
struct Lin {
  IndexExpr e;
  Lin(std::int64_t c = 0) { e.base = c; }  // NOLINT: integers are index expressions
  explicit Lin(IndexExpr x) : e(std::move(x)) {}
};
Lin var(VarId v);
Lin operator+(Lin a, const Lin& b);
Lin operator-(Lin a, const Lin& b);
Lin operator*(std::int64_t k, Lin a);
Lin mod(Lin a, std::int64_t m);
Lin flip(Lin a, std::int64_t mask);

AxisRange all();
AxisRange one(Lin index);
AxisRange range(Lin lo, std::int64_t count);

/// An edge by name, for calls.
struct Wait {
  std::string task;  ///< a task or a call
  std::int64_t back = 0;
  bool all = false;
};

class TaskBuilder;

class Builder {
 public:
  explicit Builder(std::string name);
  SpaceId space(std::string name, std::vector<std::int64_t> shape, std::uint32_t first = 0);
  TensorId tensor(std::string name, std::vector<std::int64_t> shape, DType dtype);
  TensorId tensor(std::string name, std::vector<std::int64_t> shape, Bytes total);
  BufferId buffer(std::string name, TensorId of, std::string tier = "");
  TableId table(std::string name, SpaceId space, std::vector<Table::Row> rows);
  VarId var(const std::string& name);  ///< the same name gives the same variable
  static SiteRef at(SpaceId space, std::vector<AxisRange> axes);
  static ChunkRef chunk(BufferId buffer, std::vector<AxisRange> box = {});

  void up(std::string circuit);
  void start(ChunkRef chunk, SiteRef at, std::vector<SetIndex> over = {});
  /// `root`: of a reduce or a broadcast.
  void goal(GoalKind kind, BufferId buffer, SiteRef ranks, std::optional<SiteRef> root = {});
  void goal(Goal goal);
  /// Appends to the innermost open meaning repeat.
  void meaning(Meaning statement);
  void meaning_repeat(std::int64_t rounds, VarId counter, const std::function<void()>& body);

  /// The task is appended to the innermost open body when the returned builder dies.
  TaskBuilder compute(std::string name, std::string op, DType dtype);
  TaskBuilder move(std::string name);
  TaskBuilder barrier(std::string name, SiteRef at);
  TaskBuilder control(std::string name, Control control, SiteRef at);
  void repeat(std::int64_t rounds, std::string_view counter, const std::function<void(VarId)>& body);
  std::uint32_t block(std::string name, std::vector<VarId> parameters, std::vector<Goal> goals,
                      const std::function<void()>& body);
  void call(std::uint32_t block, const std::string& name, std::vector<Lin> arguments, std::vector<Wait> waits = {});

  Program take();  ///< the finished Program; the builder is empty afterwards
  const Program& program() const { return p_; }

 private:
  friend class TaskBuilder;
  /// What a name stands for in a scope.
  struct Named {
    bool call = false;
    std::uint32_t index = 0;
  };
  /// An edge whose target is not written yet.
  struct Pending {
    Named owner;
    std::size_t edge = 0;
    std::string name;
  };
  /// The program itself or a block: its names and the counters and parameters that its tasks may use.
  struct Scope {
    absl::flat_hash_map<std::string, Named> names;
    std::vector<Pending> pending;
    std::vector<VarId> bound;
  };
  void begin_task(const std::string& name) const;
  void append(Task task, const std::vector<std::string>& waits);
  void spread_over_sites(Task& task);
  void link(Named owner, const std::vector<std::string>& waits);
  std::vector<Edge>& edges_of(Named owner);
  void close_scope();

  Program p_;
  std::vector<Buffer> extra_;  ///< buffers that are not a tensor's own
  std::vector<Scope> scopes_;
  std::vector<std::vector<Item>> bodies_;           ///< open bodies, the innermost last
  std::vector<std::vector<MeaningItem>> meanings_;  ///< the same for meaning repeats
  absl::flat_hash_map<std::string, VarId> vars_;
};

/// Fluent description of one task.
class TaskBuilder {
 public:
  TaskBuilder(Builder& owner, Task task);
  TaskBuilder(const TaskBuilder&) = delete;
  TaskBuilder& operator=(const TaskBuilder&) = delete;
  ~TaskBuilder() noexcept(false);  ///< appends the task, unless an exception is on its way
  TaskBuilder& over(VarId index, std::int64_t lo, std::int64_t hi);
  TaskBuilder& at(SpaceId space, std::vector<AxisRange> axes);
  TaskBuilder& dim(std::string name, Lin value);
  TaskBuilder& reads(ChunkRef chunk);
  TaskBuilder& writes(ChunkRef chunk);
  TaskBuilder& adds(ChunkRef chunk);
  TaskBuilder& what(ChunkRef chunk);
  TaskBuilder& into(BufferId buffer);
  TaskBuilder& from(SpaceId space, std::vector<AxisRange> axes);
  TaskBuilder& to(SpaceId space, std::vector<AxisRange> axes);
  TaskBuilder& by(TableId table);
  TaskBuilder& cast(Cast cast);
  TaskBuilder& lane(Lin lane);
  TaskBuilder& weight(double weight);
  TaskBuilder& transport(std::string name);
  TaskBuilder& via(std::string route);
  TaskBuilder& tag(std::string tag);
  TaskBuilder& after(std::string_view task, std::int64_t back = 0, bool all = false);
  TaskBuilder& after_all(std::string_view task, std::int64_t back = 0) { return after(task, back, true); }
  TaskBuilder& streams(std::string_view task, Bytes grain, std::int64_t window = 0, std::int64_t back = 0);
  TaskBuilder& circuits(std::string fabric, std::vector<std::string> drop, std::vector<std::string> raise);

 private:
  Builder* owner_;
  Task task_;
  std::vector<std::string> waits_;  ///< a name an edge
  int exceptions_;
};

}  // namespace weft::program
