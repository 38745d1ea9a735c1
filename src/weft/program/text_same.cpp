// Structural equality of Programs.
#include <algorithm>

#include "weft/program/text.hpp"

namespace weft::program {
namespace {

class Compare {
 public:
  Compare(const Program& a, const Program& b) : a_(a), b_(b) {}

  bool all() const {
    return a_.name == b_.name && a_.up == b_.up && each(a_.spaces, b_.spaces) && each(a_.tensors, b_.tensors) &&
           each(a_.buffers, b_.buffers) && each(a_.tables, b_.tables) && each(a_.start, b_.start) &&
           each(a_.meaning, b_.meaning) && each(a_.goals, b_.goals) && each(a_.blocks, b_.blocks) &&
           each(a_.body, b_.body);
  }

 private:
  template <class T>
  bool each(const std::vector<T>& a, const std::vector<T>& b) const {
    return std::ranges::equal(a, b, [&](const T& x, const T& y) { return eq(x, y); });
  }
  bool variable(VarId a, VarId b) const { return a_.vars[a] == b_.vars[b]; }
  bool eq(VarId a, VarId b) const { return variable(a, b); }
  bool eq(const std::string& a, const std::string& b) const { return a == b; }
  bool eq(const Space& a, const Space& b) const {
    return a.name == b.name && a.shape == b.shape && a.first == b.first && a.listed == b.listed;
  }
  bool eq(const Tensor& a, const Tensor& b) const {
    return a.name == b.name && a.shape == b.shape && a.total == b.total && (a.total || a.dtype == b.dtype);
  }
  bool eq(const Buffer& a, const Buffer& b) const {
    return a.name == b.name && a.tensor == b.tensor && a.tier == b.tier;
  }
  bool eq(const Table& a, const Table& b) const { return a.name == b.name && a.space == b.space && a.rows == b.rows; }

  static std::vector<IndexExpr::Term> terms_of(const IndexExpr& e) {
    std::vector<IndexExpr::Term> out;
    std::ranges::copy_if(e.terms, std::back_inserter(out), [](const auto& t) { return t.coef != 0; });
    return out;
  }
  bool eq(const IndexExpr& a, const IndexExpr& b) const {
    const auto term = [&](const auto& x, const auto& y) { return x.coef == y.coef && variable(x.var, y.var); };
    return a.base == b.base && a.flip == b.flip && a.mod == b.mod && std::ranges::equal(terms_of(a), terms_of(b), term);
  }
  bool eq(const AxisRange& a, const AxisRange& b) const {
    return a.all == b.all && (a.all || (a.count == b.count && eq(a.lo, b.lo)));
  }
  bool eq(const SiteRef& a, const SiteRef& b) const { return a.space == b.space && each(a.axes, b.axes); }
  bool eq(const ChunkRef& a, const ChunkRef& b) const {
    return a.buffer == b.buffer && a.by == b.by && each(a.box, b.box) &&
           (a.by == ChunkRef::By::box || a.table == b.table);
  }
  bool eq(const SetIndex& a, const SetIndex& b) const { return variable(a.var, b.var) && a.lo == b.lo && a.hi == b.hi; }
  bool eq(const Placement& a, const Placement& b) const {
    return each(a.over, b.over) && eq(a.chunk, b.chunk) && eq(a.at, b.at);
  }
  bool eq(const Goal& a, const Goal& b) const {
    if (a.kind != b.kind || !each(a.place, b.place)) return false;
    if (a.kind == GoalKind::place) return true;  // says all by its placements
    return a.buffer == b.buffer && a.table == b.table && eq(a.ranks, b.ranks);
  }
  bool eq(const Meaning::Operand& a, const Meaning::Operand& b) const {
    return a.tensor == b.tensor && a.axes == b.axes && each(a.box, b.box);
  }
  bool eq(const MeaningItem& a, const MeaningItem& b) const {
    if (a.kind != b.kind) return false;
    if (a.kind == MeaningItem::Kind::repeat) {
      return variable(a.var, b.var) && a.rounds == b.rounds && each(a.body, b.body);
    }
    const Meaning& x = a.statement;
    const Meaning& y = b.statement;
    return x.einsum == y.einsum && (x.einsum || x.op == y.op) && eq(x.out, y.out) && each(x.in, y.in) &&
           x.active_axis == y.active_axis && x.active == y.active;
  }
  bool eq(const Block& a, const Block& b) const {
    return a.name == b.name && each(a.parameters, b.parameters) && each(a.goals, b.goals) && each(a.body, b.body);
  }
  bool eq(const Edge& a, const Edge& b) const {
    if (a.kind != b.kind || a.call != b.call || a.all != b.all || a.back != b.back) return false;
    if (a.kind == Edge::Kind::streams && (a.grain != b.grain || a.window != b.window)) return false;
    // Names are unique in a scope, and an edge stays in its scope.
    return a.call ? a_.calls[a.on].name == b_.calls[b.on].name : a_.tasks[a.on].name == b_.tasks[b.on].name;
  }
  bool eq(const KernelDim& a, const KernelDim& b) const { return a.name == b.name && eq(a.value, b.value); }
  bool compute(const Task& a, const Task& b) const {
    return a.kernel.op == b.kernel.op && a.kernel.dtype == b.kernel.dtype && each(a.kernel.dims, b.kernel.dims) &&
           eq(a.at, b.at) && each(a.reads, b.reads) && each(a.writes, b.writes) && each(a.adds, b.adds);
  }
  bool move(const Task& a, const Task& b) const {
    const bool lanes = a.lane.has_value() == b.lane.has_value() && (!a.lane || eq(*a.lane, *b.lane));
    return lanes && eq(a.what, b.what) && a.into == b.into && eq(a.from, b.from) && eq(a.to, b.to) &&
           a.table == b.table && a.cast == b.cast && a.weight == b.weight && a.transport == b.transport &&
           a.via == b.via;
  }
  bool control(const Task& a, const Task& b) const {
    return a.control == b.control && eq(a.at, b.at) && a.circuits == b.circuits && a.drop == b.drop &&
           a.raise == b.raise;
  }
  bool eq(const Task& a, const Task& b) const {
    if (a.name != b.name || a.kind != b.kind || a.tag != b.tag || !each(a.over, b.over) || !each(a.edges, b.edges))
      return false;
    return a.kind == Kind::compute ? compute(a, b) : a.kind == Kind::move ? move(a, b) : control(a, b);
  }
  bool eq(const Item& a, const Item& b) const {
    if (a.kind != b.kind) return false;
    if (a.kind == Item::Kind::task) return eq(a_.tasks[a.index], b_.tasks[b.index]);
    if (a.kind == Item::Kind::repeat) {
      const Repeat& x = a_.repeats[a.index];
      const Repeat& y = b_.repeats[b.index];
      return x.rounds == y.rounds && variable(x.var, y.var) && each(x.body, y.body);
    }
    const Call& x = a_.calls[a.index];
    const Call& y = b_.calls[b.index];
    return x.name == y.name && x.block == y.block && each(x.arguments, y.arguments) && each(x.edges, y.edges);
  }

  const Program& a_;
  const Program& b_;
};

}  // namespace

bool same(const Program& a, const Program& b) {
  return Compare(a, b).all();
}

}  // namespace weft::program
