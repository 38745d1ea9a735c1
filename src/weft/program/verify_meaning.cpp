#include "weft/program/verify_meaning.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/expand_members.hpp"

namespace weft::program {
namespace {

constexpr Interval kEverything{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};

void collect_axes(Equation& e) {
  const auto& out = e.statement->out.axes;
  for (const Meaning::Operand& in : e.statement->in) {
    for (const std::string& axis : in.axes) {
      const bool known =
          std::ranges::find(out, axis) != out.end() || std::ranges::find(e.contracted, axis) != e.contracted.end();
      if (!axis.empty() && !known) e.contracted.push_back(axis);
    }
  }
}

}  // namespace

MeaningOf::MeaningOf(const Program& program, const std::vector<Cells>& cells, Algebra& algebra)
    : p_(program),
      cells_(cells),
      algebra_(algebra),
      of_(program.tensors.size()),
      applies_(program.tensors.size()),
      value_(program.tensors.size()),
      present_(program.tensors.size()),
      started_(program.tensors.size(), 0) {
  for (const Placement& start : program.start) started_[program.buffers[start.chunk.buffer].tensor] = 1;
  std::vector<std::int64_t> env(std::max<std::size_t>(program.vars.size(), 1), 0);
  flatten(program.meaning, env);
  for (std::uint32_t k = 0; k < equations_.size(); ++k) evaluate(k);
}

void MeaningOf::flatten(const std::vector<MeaningItem>& items, std::vector<std::int64_t>& env) {
  for (const MeaningItem& item : items) {
    if (item.kind == MeaningItem::Kind::statement) {
      Equation e{&item.statement, env, {}};
      if (item.statement.einsum) {
        collect_axes(e);
        of_[item.statement.out.tensor].push_back(static_cast<std::uint32_t>(equations_.size()));
      } else {
        const auto k = static_cast<std::uint32_t>(equations_.size());
        applies_[item.statement.out.tensor].push_back(k);
        exact_[{item.statement.out.tensor, box_of(e, item.statement.out)}].push_back(k);
      }
      equations_.push_back(std::move(e));
      continue;
    }
    for (std::int64_t round = 0; round < item.rounds; ++round) {
      env[item.var] = round;
      flatten(item.body, env);
    }
    env[item.var] = 0;
  }
}

void MeaningOf::applies_to(TensorId tensor, std::span<const std::int64_t> written,
                           std::vector<std::uint32_t>& out) const {
  out.clear();
  const auto exact = exact_.find({tensor, {written.begin(), written.end()}});
  if (exact != exact_.end()) {
    out = exact->second;
    return;
  }
  for (const std::uint32_t k : applies_[tensor]) {
    const std::vector<std::int64_t> box = box_of(equations_[k], equations_[k].statement->out);
    bool inside = box.size() == written.size();
    for (std::size_t a = 0; inside && a < box.size(); a += 2)
      inside = box[a] <= written[a] && written[a + 1] <= box[a + 1];
    if (inside) out.push_back(k);
  }
}

void MeaningOf::hold(TensorId tensor) {
  if (!value_[tensor].empty()) return;
  value_[tensor].assign(cells_[tensor].count(), started_[tensor] != 0 ? algebra_.own(tensor) : 0);
  present_[tensor].assign(cells_[tensor].count(), started_[tensor]);
}

std::vector<std::int64_t> MeaningOf::box_of(const Equation& e, const Meaning::Operand& operand) const {
  const Tensor& tensor = p_.tensors[operand.tensor];
  std::vector<std::int64_t> box;
  for (std::size_t k = 0; k < tensor.shape.size(); ++k) {
    const bool all = operand.box.size() <= k || operand.box[k].all;
    const std::int64_t lo = all ? 0 : operand.box[k].lo.eval(e.env.data());
    const std::int64_t hi = all ? tensor.shape[k] : lo + operand.box[k].count;
    if (lo < 0 || hi > tensor.shape[k]) {
      form_fault("let", e.statement->line,
                 fmt::format("index {} of axis {} lies outside {}, which has {}", lo, k, tensor.name, tensor.shape[k]));
    }
    box.push_back(lo);
    box.push_back(hi);
  }
  return box;
}

bool MeaningOf::fits(const Equation& e, const Meaning::Operand& operand, std::span<const std::int64_t> box) const {
  for (std::size_t k = 0; k < operand.box.size() && 2 * k < box.size(); ++k) {
    if (operand.box[k].all) continue;
    const std::int64_t lo = operand.box[k].lo.eval(e.env.data());
    if (lo < box[2 * k] || lo + operand.box[k].count > box[2 * k + 1]) return false;
  }
  return true;
}

std::vector<Piece> MeaningOf::pieces(const Equation& e, const Meaning::Operand& operand) const {
  const std::vector<std::int64_t> box = box_of(e, operand);
  const TensorId t = operand.tensor;
  if (value_[t].empty()) return {{box, algebra_.own(t)}};
  std::vector<Piece> out;
  bool uniform = true;
  std::uint64_t count = 0;
  Value first = 0;
  cells_[t].runs(box, [&](std::uint64_t a, std::uint64_t b) {
    for (std::uint64_t cell = a; cell < b; ++cell) {
      if (count++ == 0) first = value_[t][cell];
      uniform = uniform && present_[t][cell] != 0 && value_[t][cell] == first;
    }
  });
  if (uniform && count > 0) return {{box, first}};
  cells_[t].runs(box, [&](std::uint64_t a, std::uint64_t b) {
    for (std::uint64_t cell = a; cell < b; ++cell) {
      if (present_[t][cell] == 0) continue;
      Piece piece{{}, value_[t][cell]};
      cells_[t].box_of(cell, piece.box);
      out.push_back(std::move(piece));
    }
  });
  return out;
}

void MeaningOf::evaluate(std::uint32_t k) {
  const Equation& e = equations_[k];
  const TensorId out = e.statement->out.tensor;
  std::vector<std::vector<Piece>> operands;
  if (e.statement->einsum) {
    for (const Meaning::Operand& in : e.statement->in) operands.push_back(pieces(e, in));
  }
  hold(out);
  if (!e.statement->einsum) {
    evaluate_apply(e);
    return;
  }
  std::vector<std::int64_t> box;
  cells_[out].runs(box_of(e, e.statement->out), [&](std::uint64_t a, std::uint64_t b) {
    for (std::uint64_t cell = a; cell < b; ++cell) {
      cells_[out].box_of(cell, box);
      Value sum = 0;
      if (!contribution(k, box, operands, sum)) continue;
      value_[out][cell] = present_[out][cell] != 0 ? algebra_.add(value_[out][cell], sum) : sum;
      present_[out][cell] = 1;
    }
  });
}

void MeaningOf::evaluate_apply(const Equation& e) {
  const TensorId out = e.statement->out.tensor;
  std::map<TensorId, std::vector<Value>> read;
  for (const Meaning::Operand& in : e.statement->in) {
    for (const Piece& piece : pieces(e, in)) read[in.tensor].push_back(piece.value);
  }
  std::vector<Input> inputs;
  for (auto& [tensor, values] : read) inputs.push_back({tensor, algebra_.together(std::move(values))});
  const Value value = algebra_.opaque(e.statement->op, out, inputs);
  cells_[out].runs(box_of(e, e.statement->out), [&](std::uint64_t a, std::uint64_t b) {
    for (std::uint64_t cell = a; cell < b; ++cell) {
      value_[out][cell] = value;
      present_[out][cell] = 1;
    }
  });
}

bool MeaningOf::expected(TensorId tensor, std::uint64_t cell, Value& value) const {
  if (value_[tensor].empty()) {
    value = algebra_.own(tensor);
    return started_[tensor] != 0;
  }
  value = value_[tensor][cell];
  return present_[tensor][cell] != 0;
}

bool MeaningOf::contribution(std::uint32_t k, std::span<const std::int64_t> out,
                             const std::vector<std::vector<Piece>>& operands, Value& sum) {
  std::vector<Interval> ranges(equations_[k].contracted.size(), kEverything);
  std::vector<Value> values;
  bool any = false;
  combine(k, operands, 0, out, ranges, values, sum, any);
  return any;
}

void MeaningOf::combine(std::uint32_t k, const std::vector<std::vector<Piece>>& operands, std::size_t at,
                        std::span<const std::int64_t> out, std::vector<Interval>& ranges, std::vector<Value>& values,
                        Value& sum, bool& any) {
  const Equation& e = equations_[k];
  if (at == operands.size()) {
    const Value part = algebra_.einsum(k, ranges, values);
    sum = any ? algebra_.add(sum, part) : part;
    any = true;
    return;
  }
  const Meaning::Operand& operand = e.statement->in[at];
  const auto& names = e.statement->out.axes;
  for (const Piece& piece : operands[at]) {
    const std::vector<Interval> saved = ranges;
    bool meets = fits(e, operand, piece.box);
    for (std::size_t axis = 0; meets && axis < operand.axes.size(); ++axis) {
      if (operand.axes[axis].empty()) continue;
      const std::int64_t lo = piece.box[2 * axis], hi = piece.box[2 * axis + 1];
      const auto shared = std::ranges::find(names, operand.axes[axis]);
      if (shared != names.end()) {
        const auto o = static_cast<std::size_t>(shared - names.begin());
        meets = lo <= out[2 * o] && hi >= out[2 * o + 1];
        continue;
      }
      const auto c =
          static_cast<std::size_t>(std::ranges::find(e.contracted, operand.axes[axis]) - e.contracted.begin());
      ranges[c] = {std::max(ranges[c].lo, lo), std::min(ranges[c].hi, hi)};
      meets = ranges[c].lo < ranges[c].hi;
    }
    if (meets) {
      values.push_back(piece.value);
      combine(k, operands, at + 1, out, ranges, values, sum, any);
      values.pop_back();
    }
    ranges = saved;
  }
}

}  // namespace weft::program
