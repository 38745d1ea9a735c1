#include "weft/program/builder.hpp"

#include <algorithm>

#include <utility>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/text_buffers.hpp"
#include "weft/program/text_infer.hpp"

namespace weft::program {
namespace {

// Modulo and exclusive or stand outside the sum; nothing can be added to them any more.
void require_linear(const Lin& a) {
  if (a.e.flip != 0 || a.e.mod != 0) internal_error("mod() and flip() must be the last steps of an index expression");
}

}  // namespace

Lin var(VarId v) {
  IndexExpr e;
  e.terms.push_back({v, 1});
  return Lin(std::move(e));
}

Lin operator+(Lin a, const Lin& b) {
  require_linear(a);
  require_linear(b);
  a.e.base += b.e.base;
  for (const IndexExpr::Term& term : b.e.terms) {
    auto at = a.e.terms.begin();
    while (at != a.e.terms.end() && at->var != term.var) ++at;
    if (at == a.e.terms.end()) {
      a.e.terms.push_back(term);
    } else {
      at->coef += term.coef;
      if (at->coef == 0) a.e.terms.erase(at);
    }
  }
  return a;
}

Lin operator-(Lin a, const Lin& b) {
  return std::move(a) + (-1 * b);
}

Lin operator*(std::int64_t k, Lin a) {
  require_linear(a);
  if (k == 0) return Lin(0);
  a.e.base *= k;
  for (IndexExpr::Term& term : a.e.terms) term.coef *= k;
  return a;
}

Lin mod(Lin a, std::int64_t m) {
  if (a.e.mod != 0) internal_error("an index expression has one mod()");
  if (m <= 0) internal_error(fmt::format("mod() by {}: a positive number is needed", m));
  a.e.mod = m;
  return a;
}

Lin flip(Lin a, std::int64_t mask) {
  require_linear(a);
  a.e.flip = mask;
  return a;
}

AxisRange all() {
  return {};
}

AxisRange one(Lin index) {
  return {false, std::move(index.e), 1};
}

AxisRange range(Lin lo, std::int64_t count) {
  return {false, std::move(lo.e), count};
}

Builder::Builder(std::string name) : scopes_(1), bodies_(1), meanings_(1) {
  p_.name = std::move(name);
}

SpaceId Builder::space(std::string name, std::vector<std::int64_t> shape, std::uint32_t first) {
  p_.spaces.push_back({std::move(name), std::move(shape), first, {}});
  return static_cast<SpaceId>(p_.spaces.size() - 1);
}

TensorId Builder::tensor(std::string name, std::vector<std::int64_t> shape, DType dtype) {
  const auto id = static_cast<TensorId>(p_.tensors.size());
  p_.buffers.push_back({name, id, ""});
  p_.tensors.push_back({std::move(name), std::move(shape), dtype, {}});
  return id;
}

TensorId Builder::tensor(std::string name, std::vector<std::int64_t> shape, Bytes total) {
  const TensorId id = tensor(std::move(name), std::move(shape), DType::u8);
  p_.tensors[id].total = total;
  return id;
}

BufferId Builder::buffer(std::string name, TensorId of, std::string tier) {
  extra_.push_back({std::move(name), of, std::move(tier)});
  return kLaterBuffer + static_cast<BufferId>(extra_.size() - 1);
}

TableId Builder::table(std::string name, SpaceId space, std::vector<Table::Row> rows) {
  p_.tables.push_back({std::move(name), space, std::move(rows)});
  return static_cast<TableId>(p_.tables.size() - 1);
}

VarId Builder::var(const std::string& name) {
  const auto [at, added] = vars_.try_emplace(name, static_cast<VarId>(p_.vars.size()));
  if (added) p_.vars.push_back(at->first);
  return at->second;
}

SiteRef Builder::at(SpaceId space, std::vector<AxisRange> axes) {
  return {space, std::move(axes)};
}

ChunkRef Builder::chunk(BufferId buffer, std::vector<AxisRange> box) {
  ChunkRef chunk;
  chunk.buffer = buffer;
  chunk.box = std::move(box);
  return chunk;
}

void Builder::up(std::string circuit) {
  p_.up.push_back(std::move(circuit));
}

void Builder::start(ChunkRef chunk, SiteRef at, std::vector<SetIndex> over) {
  infer_over(p_, at, {}, over);
  p_.start.push_back({std::move(over), std::move(chunk), std::move(at), 0});
}

void Builder::goal(GoalKind kind, BufferId buffer, SiteRef ranks, std::optional<SiteRef> root) {
  Goal goal;
  goal.kind = kind;
  goal.buffer = buffer;
  goal.ranks = std::move(ranks);
  if (root) {
    goal.place.emplace_back();
    goal.place.back().at = std::move(*root);
  }
  p_.goals.push_back(std::move(goal));
}

void Builder::goal(Goal goal) {
  for (Placement& placement : goal.place) infer_over(p_, placement.at, {}, placement.over);
  p_.goals.push_back(std::move(goal));
}

void Builder::meaning(Meaning statement) {
  const auto plain = [](Meaning::Operand& o) {  // an einsum without fixed axes has no boxes, as in the text
    if (std::ranges::all_of(o.box, &AxisRange::all)) o.box.clear();
  };
  if (statement.einsum) {
    plain(statement.out);
    std::ranges::for_each(statement.in, plain);
  }
  MeaningItem item;
  item.statement = std::move(statement);
  meanings_.back().push_back(std::move(item));
}

void Builder::meaning_repeat(std::int64_t rounds, VarId counter, const std::function<void()>& body) {
  meanings_.emplace_back();
  body();
  MeaningItem item;
  item.kind = MeaningItem::Kind::repeat;
  item.var = counter;
  item.rounds = rounds;
  item.body = std::move(meanings_.back());
  meanings_.pop_back();
  meanings_.back().push_back(std::move(item));
}

TaskBuilder Builder::compute(std::string name, std::string op, DType dtype) {
  begin_task(name);
  Task task;
  task.name = std::move(name);
  task.kernel.op = std::move(op);
  task.kernel.dtype = dtype;
  return {*this, std::move(task)};
}

TaskBuilder Builder::move(std::string name) {
  begin_task(name);
  Task task;
  task.name = std::move(name);
  task.kind = Kind::move;
  return {*this, std::move(task)};
}

TaskBuilder Builder::barrier(std::string name, SiteRef at) {
  return control(std::move(name), Control::barrier, std::move(at));
}

TaskBuilder Builder::control(std::string name, Control control, SiteRef at) {
  begin_task(name);
  Task task;
  task.name = std::move(name);
  task.kind = Kind::control;
  task.control = control;
  task.at = std::move(at);
  return {*this, std::move(task)};
}

void Builder::repeat(std::int64_t rounds, std::string_view counter, const std::function<void(VarId)>& body) {
  const VarId v = var(std::string(counter));
  const auto index = static_cast<std::uint32_t>(p_.repeats.size());
  p_.repeats.push_back({v, rounds, {}});
  bodies_.back().push_back({Item::Kind::repeat, index});
  bodies_.emplace_back();
  scopes_.back().bound.push_back(v);
  body(v);
  scopes_.back().bound.pop_back();
  p_.repeats[index].body = std::move(bodies_.back());
  bodies_.pop_back();
}

std::uint32_t Builder::block(std::string name, std::vector<VarId> parameters, std::vector<Goal> goals,
                             const std::function<void()>& body) {
  for (Goal& goal : goals) {
    for (Placement& placement : goal.place) infer_over(p_, placement.at, parameters, placement.over);
  }
  scopes_.emplace_back();
  scopes_.back().bound = parameters;
  bodies_.emplace_back();
  body();
  close_scope();
  p_.blocks.push_back({std::move(name), std::move(parameters), std::move(bodies_.back()), std::move(goals)});
  bodies_.pop_back();
  return static_cast<std::uint32_t>(p_.blocks.size() - 1);
}

void Builder::call(std::uint32_t block, const std::string& name, std::vector<Lin> arguments, std::vector<Wait> waits) {
  begin_task(name);
  const Named self{true, static_cast<std::uint32_t>(p_.calls.size())};
  Call call;
  call.block = block;
  call.name = name;
  for (Lin& argument : arguments) call.arguments.push_back(std::move(argument.e));
  std::vector<std::string> names;
  for (Wait& wait : waits) {
    Edge edge;
    edge.back = wait.back;
    edge.all = wait.all;
    call.edges.push_back(edge);
    names.push_back(std::move(wait.task));
  }
  p_.calls.push_back(std::move(call));
  bodies_.back().push_back({Item::Kind::call, self.index});
  scopes_.back().names.emplace(name, self);
  link(self, names);
}

Program Builder::take() {
  if (scopes_.size() != 1 || bodies_.size() != 1) internal_error("a Program is taken while a block or repeat is open");
  close_scope();
  p_.body = std::move(bodies_.back());
  p_.meaning = std::move(meanings_.back());
  place_buffers(p_, std::move(extra_));
  Program done = std::move(p_);
  *this = Builder("");
  return done;
}

}  // namespace weft::program
