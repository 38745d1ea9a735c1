#include "weft/compile/step.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace weft::compile {
namespace {

using program::all;
using program::one;
using program::SetIndex;

Sizes sizes_of(const StepRequest& r, const machine::Machine& machine) {
  const model::Model& m = r.model;
  Sizes s{};
  s.tp = r.layout.tp, s.ep = r.layout.ep, s.dp = r.layout.dp, s.groups = r.layout.groups();
  s.b = r.batch / s.groups;
  s.hidden = m.hidden, s.head_dim = m.head_dim, s.layers = m.layer_count();
  s.q = m.heads / s.tp, s.kv = std::max<std::int64_t>(1, m.kv_heads / s.tp), s.vocab = m.vocab / s.tp;
  s.per_node = s.ep;
  // An ep group over several nodes with equal shares is written in two levels.
  const std::vector<std::uint32_t> node = nodes_of(machine, r.layout.ranks());
  const auto of = [&](std::int64_t group) { return node[static_cast<std::size_t>(group * s.tp)]; };
  std::int64_t share = 1;
  while (share < s.ep && of(share) == of(0)) ++share;
  bool even = s.ep % share == 0;
  for (std::int64_t g = 0; even && g < s.groups; ++g) {
    const std::int64_t first = g - g % share;
    even = of(g) == of(first) && (g % s.ep < share || of(g) != of(first - share)) &&
           node[static_cast<std::size_t>(g * s.tp)] == node[static_cast<std::size_t>(g * s.tp + s.tp - 1)];
  }
  if (even && share < s.ep && share > 1) s.per_node = share, s.nodes = s.ep / share;
  // In one level: by the scale-up transport within a node, by the scale-out one between nodes, by the machine's table for both.
  s.inside = share == s.ep || s.nodes > 1 ? "nvlink" : (even && share == 1 ? "rdma" : "");
  return s;
}

/// k times an expression that may end in a modulo.
Lin scaled(std::int64_t k, Lin a) {
  a.e.base *= k;
  for (auto& term : a.e.terms) term.coef *= k;
  a.e.mod *= k;
  return a;
}

}  // namespace

Step::Step(const StepRequest& request, const machine::Machine& machine)
    : r_(request),
      m_(machine),
      s_(sizes_of(request, machine)),
      b_(fmt::format("{} {} of {} sequences at {}, {}", request.model.name, request.phase, request.batch, request.seq,
                     to_string(request.layout))) {
  d_ = b_.var("d"), node_ = b_.var("node"), e_ = b_.var("e"), t_ = b_.var("t");
  std::vector<std::int64_t> shape{s_.dp, s_.ep, s_.tp};
  if (s_.nodes > 1) shape = {s_.dp, s_.nodes, s_.per_node, s_.tp};
  gpu_ = b_.space(machine.site_class(0).name, shape);
}

std::vector<AxisRange> Step::site(const Lin& t) const {
  if (s_.nodes > 1) return {one(program::var(d_)), one(program::var(node_)), one(program::var(e_)), one(t)};
  return {one(program::var(d_)), one(program::var(e_)), one(t)};
}

std::vector<AxisRange> Step::here() const {
  return site(program::var(t_));
}

Lin Step::expert_rank() const {
  if (s_.nodes > 1) return s_.per_node * program::var(node_) + program::var(e_);
  return program::var(e_);
}

Lin Step::group() const {
  return s_.ep * program::var(d_) + expert_rank();
}

std::vector<SetIndex> Step::group_indices() const {
  if (s_.nodes > 1) return {{d_, 0, s_.dp}, {node_, 0, s_.nodes}, {e_, 0, s_.per_node}};
  return {{d_, 0, s_.dp}, {e_, 0, s_.ep}};
}

std::vector<SetIndex> Step::indices() const {
  std::vector<SetIndex> all_of = group_indices();
  all_of.push_back({t_, 0, s_.tp});
  return all_of;
}

TensorId Step::activation(const std::string& name, std::int64_t layers, std::int64_t columns) {
  return b_.tensor(name, {layers, s_.groups, s_.b, columns}, r_.dtype);
}

std::string Step::transport(std::string_view name) const {
  const auto known = m_.transports();
  return std::any_of(known.begin(), known.end(), [&](const auto& t) { return t.name == name; }) ? std::string(name)
                                                                                                : "";
}

void Step::start(TensorId tensor, std::vector<AxisRange> box) {
  b_.start(Builder::chunk(tensor, std::move(box)), Builder::at(gpu_, here()), indices());
}

void Step::kernel(const KernelStep& k) {
  meaning_of(k);
  program::TaskBuilder task = b_.compute(k.name, k.op, r_.dtype);
  for (const SetIndex& i : indices()) task.over(i.var, i.lo, i.hi);
  task.at(gpu_, here()).tag(k.tag);
  for (const auto& [name, value] : k.dims) task.dim(name, value);
  for (const Piece& p : k.in) task.reads(Builder::chunk(p.tensor, p.box));
  for (const Piece& p : k.out) task.writes(Builder::chunk(p.tensor, p.box));
  for (const After& a : k.after) task.after(a.task, a.back);
}

bool Step::placed(const AxisRange& axis) const {
  return axis.all || std::any_of(axis.lo.terms.begin(), axis.lo.terms.end(), [this](const auto& term) {
           return term.var == d_ || term.var == node_ || term.var == e_ || term.var == t_;
         });
}

program::Meaning::Operand Step::logical(const Piece& p) const {
  program::Meaning::Operand o{p.tensor, p.axes, p.box};
  for (AxisRange& axis : o.box) {
    if (placed(axis)) axis = all();
  }
  return o;
}

/// Rows on their way lie in columns as the demand says, which no proportion tells: of those kernels the meaning is said
/// group by group, of all others once for the whole tensors.
bool Step::exchanges(const KernelStep& k) const {
  const auto is = [this](const Piece& p) {
    return p.tensor == packed_ || p.tensor == back_ || (s_.nodes > 1 && p.tensor == sum_);
  };
  return s_.ep > 1 && (std::ranges::any_of(k.in, is) || std::ranges::any_of(k.out, is));
}

void Step::meaning_of(const KernelStep& k) {
  if (exchanges(k)) {
    std::function<void(std::size_t)> nest = [&](std::size_t level) {
      const std::vector<SetIndex> groups = group_indices();
      if (level < groups.size()) {
        b_.meaning_repeat(groups[level].hi, groups[level].var, [&] { nest(level + 1); });
        return;
      }
      for (const Piece& out : k.out) {
        program::Meaning m;
        m.einsum = false;
        m.op = k.op;
        m.out = {out.tensor, {}, out.box};
        for (const Piece& p : k.in) m.in.push_back({p.tensor, {}, p.box});
        b_.meaning(std::move(m));
      }
    };
    nest(0);
    return;
  }
  for (const Piece& out : k.out) {
    program::Meaning m;
    m.einsum = k.einsum;
    if (!k.einsum) m.op = k.op;
    m.active_axis = k.active_axis;
    m.active = k.active;
    m.out = logical(out);
    for (const Piece& p : k.in) m.in.push_back(logical(p));
    b_.meaning(std::move(m));
  }
}

std::vector<After> Step::all_reduce(const std::string& name, TensorId tensor, const std::vector<AxisRange>& box,
                                    std::int64_t columns, Bytes whole, const std::string& after) {
  if (s_.tp == 1) return {{after}};
  const auto& writer = Registry<collective::Writer>::instance().item(r_.all_reduce, "collective algorithm");
  collective::Job job;
  job.operation = program::GoalKind::all_reduce;
  job.ranks = {gpu_, s_.tp, group_indices(), [this](const Lin& t) { return site(t); }};
  job.data = tensor;
  const std::int64_t width = columns / s_.tp;
  job.piece = [box, width](const std::vector<Lin>& piece) {
    std::vector<AxisRange> cut = box;
    cut.back() = program::range(scaled(width, piece.front()), width);
    return cut;
  };
  job.piece_bytes = Bytes((whole.value() + s_.tp - 1) / s_.tp);
  job.dtype = r_.dtype;
  job.prefix = name + ".";
  job.tag = "all-reduce";
  job.after = {after};
  job.parameters = r_.all_reduce_parameters;
  std::vector<After> last;
  for (const std::string& task : writer.payload.write(b_, job)) last.push_back({task});
  return last;
}

program::Program compile_step(const StepRequest& request, const machine::Machine& machine) {
  check_step(request, machine);
  Step step(request, machine);
  step.write();
  return step.take();
}

}  // namespace weft::compile
