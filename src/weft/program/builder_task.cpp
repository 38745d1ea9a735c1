// The task side of the Builder: names, edges and the fluent description of one task.
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/builder.hpp"
#include "weft/program/text_infer.hpp"

namespace weft::program {

void Builder::begin_task(const std::string& name) const {
  if (scopes_.back().names.contains(name)) internal_error(fmt::format("two tasks are called '{}'", name));
}

std::vector<Edge>& Builder::edges_of(Named owner) {
  return owner.call ? p_.calls[owner.index].edges : p_.tasks[owner.index].edges;
}

// Points the owner's edges at their tasks; what is not written yet waits for the end of the scope.
void Builder::link(Named owner, const std::vector<std::string>& waits) {
  Scope& scope = scopes_.back();
  std::vector<Edge>& edges = edges_of(owner);
  for (std::size_t k = 0; k < waits.size(); ++k) {
    const auto found = scope.names.find(waits[k]);
    if (found == scope.names.end()) {
      scope.pending.push_back({owner, k, waits[k]});
    } else {
      edges[k].on = found->second.index;
      edges[k].call = found->second.call;
    }
  }
}

void Builder::close_scope() {
  const Scope& scope = scopes_.back();
  for (const Pending& wait : scope.pending) {
    const auto found = scope.names.find(wait.name);
    if (found == scope.names.end()) {
      const std::string& who = wait.owner.call ? p_.calls[wait.owner.index].name : p_.tasks[wait.owner.index].name;
      internal_error(fmt::format("'{}' waits for '{}', and nothing is called that", who, wait.name));
    }
    Edge& edge = edges_of(wait.owner)[wait.edge];
    edge.on = found->second.index;
    edge.call = found->second.call;
  }
  scopes_.pop_back();
}

// A compute at `all()` is a set over the axis, by an index of its own.
void Builder::spread_over_sites(Task& task) {
  if (task.kind != Kind::compute || task.at.space == kNone) return;
  for (std::size_t k = 0; k < task.at.axes.size(); ++k) {
    if (task.at.axes[k].all) task.at.axes[k] = one(program::var(var(fmt::format("_{}", k))));
  }
}

void Builder::append(Task task, const std::vector<std::string>& waits) {
  if (task.kind == Kind::move && task.into == kNone) task.into = task.what.buffer;
  if (task.table != kNone) {
    if (task.from.space == kNone) task.from.space = p_.tables[task.table].space;
    if (task.to.space == kNone) task.to.space = p_.tables[task.table].space;
  }
  spread_over_sites(task);
  infer_over(p_, task, scopes_.back().bound, task.over);
  const Named self{false, static_cast<std::uint32_t>(p_.tasks.size())};
  scopes_.back().names.emplace(task.name, self);
  bodies_.back().push_back({Item::Kind::task, self.index});
  p_.tasks.push_back(std::move(task));
  link(self, waits);
}

TaskBuilder::TaskBuilder(Builder& owner, Task task)
    : owner_(&owner), task_(std::move(task)), exceptions_(std::uncaught_exceptions()) {}

TaskBuilder::~TaskBuilder() noexcept(false) {
  if (std::uncaught_exceptions() == exceptions_) owner_->append(std::move(task_), waits_);
}

TaskBuilder& TaskBuilder::over(VarId index, std::int64_t lo, std::int64_t hi) {
  task_.over.push_back({index, lo, hi});
  return *this;
}

TaskBuilder& TaskBuilder::at(SpaceId space, std::vector<AxisRange> axes) {
  task_.at = Builder::at(space, std::move(axes));
  return *this;
}

TaskBuilder& TaskBuilder::dim(std::string name, Lin value) {
  task_.kernel.dims.push_back({std::move(name), std::move(value.e)});
  return *this;
}

TaskBuilder& TaskBuilder::reads(ChunkRef chunk) {
  task_.reads.push_back(std::move(chunk));
  return *this;
}

TaskBuilder& TaskBuilder::writes(ChunkRef chunk) {
  task_.writes.push_back(std::move(chunk));
  return *this;
}

TaskBuilder& TaskBuilder::adds(ChunkRef chunk) {
  task_.adds.push_back(std::move(chunk));
  return *this;
}

TaskBuilder& TaskBuilder::what(ChunkRef chunk) {
  task_.what = std::move(chunk);
  return *this;
}

TaskBuilder& TaskBuilder::into(BufferId buffer) {
  task_.into = buffer;
  return *this;
}

TaskBuilder& TaskBuilder::from(SpaceId space, std::vector<AxisRange> axes) {
  task_.from = Builder::at(space, std::move(axes));
  return *this;
}

TaskBuilder& TaskBuilder::to(SpaceId space, std::vector<AxisRange> axes) {
  task_.to = Builder::at(space, std::move(axes));
  return *this;
}

TaskBuilder& TaskBuilder::by(TableId table) {
  task_.table = table;
  return *this;
}

TaskBuilder& TaskBuilder::cast(Cast cast) {
  task_.cast = cast;
  return *this;
}

TaskBuilder& TaskBuilder::lane(Lin lane) {
  task_.lane = std::move(lane.e);
  return *this;
}

TaskBuilder& TaskBuilder::weight(double weight) {
  task_.weight = weight;
  return *this;
}

TaskBuilder& TaskBuilder::transport(std::string name) {
  task_.transport = std::move(name);
  return *this;
}

TaskBuilder& TaskBuilder::via(std::string route) {
  task_.via = std::move(route);
  return *this;
}

TaskBuilder& TaskBuilder::tag(std::string tag) {
  task_.tag = std::move(tag);
  return *this;
}

TaskBuilder& TaskBuilder::after(std::string_view task, std::int64_t back, bool all) {
  Edge edge;
  edge.back = back;
  edge.all = all;
  task_.edges.push_back(edge);
  waits_.emplace_back(task);
  return *this;
}

TaskBuilder& TaskBuilder::streams(std::string_view task, Bytes grain, std::int64_t window, std::int64_t back) {
  Edge edge;
  edge.kind = Edge::Kind::streams;
  edge.grain = grain;
  edge.window = window;
  edge.back = back;
  task_.edges.push_back(edge);
  waits_.emplace_back(task);
  return *this;
}

TaskBuilder& TaskBuilder::circuits(std::string fabric, std::vector<std::string> drop, std::vector<std::string> raise) {
  task_.circuits = std::move(fabric);
  task_.drop = std::move(drop);
  task_.raise = std::move(raise);
  return *this;
}

}  // namespace weft::program
