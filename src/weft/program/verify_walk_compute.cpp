// Kernels and goals in the walk (rules: verify_meaning.hpp).
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "weft/program/verify_walk.hpp"

namespace weft::program {
namespace {

std::string box_text(const std::string& name, std::span<const std::int64_t> box) {
  std::string text = name + "[";
  for (std::size_t a = 0; a < box.size(); a += 2) {
    text += a == 0 ? "" : ",";
    text += box[a] + 1 == box[a + 1] ? fmt::format("{}", box[a]) : fmt::format("{}..{}", box[a], box[a + 1] - 1);
  }
  return text + "]";
}

constexpr std::size_t kAhead = 12;  ///< cells of a goal fetched ahead: they lie scattered in memory

}  // namespace

void Walk::compute(const Task& task) {
  for (const auto* list : {&task.writes, &task.adds}) {
    for (const ChunkRef& out : *list) {
      const TensorId tensor = tensor_of(out.buffer);
      const bool same =
          (task.kernel.op == "add" || task.kernel.op == "copy") &&
          std::ranges::all_of(task.reads, [&](const ChunkRef& r) { return tensor_of(r.buffer) == tensor; });
      if (same) {
        compute_same(task, out, list == &task.adds);
      } else {
        compute_other(task, out, list == &task.adds);
      }
    }
  }
  if (!task.writes.empty() || !task.adds.empty()) return;
  for (const ChunkRef& r : task.reads) read_pieces(task, tensor_of(r.buffer));
}

/// add and copy on one tensor: the sum of what is read, cell by cell.
void Walk::compute_same(const Task& task, const ChunkRef& out, bool add) {
  const SiteId site = e_.members[member_].src;
  absl::flat_hash_map<std::uint64_t, Value> sum;
  for (const ChunkRef& in : task.reads) {
    other_.bounds.clear();
    chunks_.append(in, env().data(), site, other_);
    for (std::size_t k = 0; k < other_.count(); ++k) {
      cells_[tensor_of(in.buffer)].runs(other_.box(k), [&](std::uint64_t a, std::uint64_t b) {
        for (std::uint64_t cell = a; cell < b; ++cell) {
          Value value = 0;
          if (!read(in.buffer, site, cell, value)) continue;
          const auto [at, fresh] = sum.try_emplace(cell, value);
          if (!fresh) at->second = algebra_.add(at->second, value);
        }
      });
    }
  }
  boxes_.bounds.clear();
  chunks_.append(out, env().data(), site, boxes_);
  for (std::size_t k = 0; k < boxes_.count(); ++k) {
    cells_[tensor_of(out.buffer)].runs(boxes_.box(k), [&](std::uint64_t a, std::uint64_t b) {
      for (std::uint64_t cell = a; cell < b; ++cell) {
        const auto found = sum.find(cell);
        if (found != sum.end()) {
          write(out.buffer, site, cell, found->second, add);
        } else if (faults_.size() < most_) {
          fault(fmt::format("writes {} and reads nothing of it to {}", piece_text(out.buffer, site, cell),
                            task.kernel.op));
        }
      }
    });
  }
}

std::vector<Piece> Walk::read_pieces(const Task& task, TensorId tensor) {
  const SiteId site = e_.members[member_].src;
  std::vector<Piece> pieces;
  std::vector<std::int64_t> box;
  for (const ChunkRef& in : task.reads) {
    if (tensor_of(in.buffer) != tensor) continue;
    other_.bounds.clear();
    chunks_.append(in, env().data(), site, other_);
    for (std::size_t k = 0; k < other_.count(); ++k) {
      const std::size_t from = pieces.size();
      bool uniform = true;
      cells_[tensor].runs(other_.box(k), [&](std::uint64_t a, std::uint64_t b) {
        for (std::uint64_t cell = a; cell < b; ++cell) {
          Value value = 0;
          if (!read(in.buffer, site, cell, value)) {
            uniform = false;
            continue;
          }
          if (pieces.size() > from) uniform = uniform && pieces[from].value == value;
          cells_[tensor].box_of(cell, box);
          pieces.push_back({box, value});
        }
      });
      if (!uniform || pieces.size() == from) continue;
      pieces.resize(from + 1);
      pieces[from].box.assign(other_.box(k).begin(), other_.box(k).end());
      const auto twin = std::find_if(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(from),
                                     [&](const Piece& p) { return p.box == pieces[from].box; });
      if (twin != pieces.begin() + static_cast<std::ptrdiff_t>(from)) pieces.pop_back();
    }
  }
  return pieces;
}

/// The einsum equation of the written tensor whose operands are all read, at the fixed indices that are written.
std::uint32_t Walk::equation_for(TensorId tensor, std::span<const std::int64_t> written, const Reads& read) const {
  for (const std::uint32_t k : meaning_.einsums(tensor)) {
    const Equation& e = meaning_.equation(k);
    bool fits = true;
    for (const Meaning::Operand& in : e.statement->in) {
      const auto found = read.find(in.tensor);
      fits = fits && found != read.end() &&
             std::ranges::any_of(found->second, [&](const Piece& piece) { return meaning_.fits(e, in, piece.box); });
    }
    for (std::size_t axis = 0; axis < e.statement->out.box.size(); ++axis) {
      const AxisRange& range = e.statement->out.box[axis];
      if (range.all) continue;
      fits = fits && range.lo.eval(e.env.data()) == written[2 * axis] &&
             written[2 * axis] + range.count == written[2 * axis + 1];
    }
    if (fits) return k;
  }
  return kNone;
}

Value Walk::opaque_value(const Task& task, TensorId tensor, const Reads& read) {
  std::vector<Input> inputs;
  for (const auto& [t, pieces] : read) {
    std::vector<Value> values;
    for (const Piece& piece : pieces) values.push_back(piece.value);
    if (!values.empty()) inputs.push_back({t, algebra_.together(std::move(values))});
  }
  return algebra_.opaque(task.kernel.op, tensor, inputs);
}

/// The part rule of verify_parts.hpp for one thing that is read, by one equation.
bool Walk::part_fits(const Equation& e, TensorId read, std::span<const std::int64_t> box,
                     const std::vector<Part>& output) const {
  bool named = false;
  std::vector<Part> input;
  for (const Meaning::Operand& operand : e.statement->in) {
    if (operand.tensor != read) continue;
    named = true;
    if (parts_of(box, meaning_.box_of(e, operand), input) && parts_correspond(input, output)) return true;
  }
  return !named;
}

/// Some `let` of the written box must have all that is read as its parts; without a `let` nothing is asked.
void Walk::check_parts(const Task& task, TensorId tensor, std::span<const std::int64_t> written) {
  std::vector<std::uint32_t> equations;
  meaning_.applies_to(tensor, written, equations);
  if (equations.empty()) return;
  const SiteId site = e_.members[member_].src;
  std::string worst;
  for (const std::uint32_t k : equations) {
    const Equation& e = meaning_.equation(k);
    std::vector<Part> output;
    parts_of(written, meaning_.box_of(e, e.statement->out), output);
    worst.clear();
    for (const ChunkRef& in : task.reads) {
      if (in.by != ChunkRef::By::box) continue;
      other_.bounds.clear();
      chunks_.append(in, env().data(), site, other_);
      for (std::size_t n = 0; n < other_.count() && worst.empty(); ++n) {
        if (!part_fits(e, tensor_of(in.buffer), other_.box(n), output))
          worst = box_text(p_.buffers[in.buffer].name, other_.box(n));
      }
    }
    if (worst.empty()) return;
  }
  fault(fmt::format("reads {} to make {}, and by the meaning that is made of another part", worst,
                    box_text(p_.tensors[tensor].name, written)));
}

void Walk::compute_other(const Task& task, const ChunkRef& out, bool add) {
  const SiteId site = e_.members[member_].src;
  const TensorId tensor = tensor_of(out.buffer);
  Reads read;
  for (const ChunkRef& r : task.reads) {
    if (!read.contains(tensor_of(r.buffer))) read.emplace(tensor_of(r.buffer), read_pieces(task, tensor_of(r.buffer)));
  }
  FlatBoxes written;
  chunks_.append(out, env().data(), site, written);
  if (written.count() == 0) return;
  const std::uint32_t equation = equation_for(tensor, written.box(0), read);
  std::vector<std::vector<Piece>> operands;
  if (equation != kNone) {
    for (const Meaning::Operand& in : meaning_.equation(equation).statement->in) operands.push_back(read[in.tensor]);
  }
  const Value opaque = equation == kNone ? opaque_value(task, tensor, read) : 0;
  if (equation == kNone && !add) {
    for (std::size_t k = 0; k < written.count(); ++k) check_parts(task, tensor, written.box(k));
  }
  std::vector<std::int64_t> box;
  for (std::size_t k = 0; k < written.count(); ++k) {
    cells_[tensor].runs(written.box(k), [&](std::uint64_t a, std::uint64_t b) {
      for (std::uint64_t cell = a; cell < b; ++cell) {
        Value value = opaque;
        cells_[tensor].box_of(cell, box);
        if (equation != kNone && !meaning_.contribution(equation, box, operands, value)) {
          fault(fmt::format("writes {}, and what it reads gives nothing of that", piece_text(out.buffer, site, cell)));
        } else {
          write(out.buffer, site, cell, value, add);
        }
      }
    });
  }
}

void Walk::gather_cells(const Requirement& need) {
  required_.clear();
  std::vector<std::int64_t> flat;
  for (const Box& box : need.boxes) {
    flat.clear();
    for (std::size_t k = 0; k < box.lo.size(); ++k) flat.insert(flat.end(), {box.lo[k], box.hi[k]});
    cells_[tensor_of(need.buffer)].runs(flat, [&](std::uint64_t a, std::uint64_t b) {
      for (std::uint64_t cell = a; cell < b; ++cell) required_.push_back(cell);
    });
  }
}

void Walk::check_goal(const GoalAt& at) {
  goal_phase_ = true;
  unmet_.at = at;
  Value sum = 0;
  bool summed = false;
  for_each_requirement(p_, *at.goal, at.env, [&](const Requirement& need) {
    if (faults_.size() >= most_) return;
    const TensorId tensor = tensor_of(need.buffer);
    const bool parts = need.sum && !meaning_.has(tensor);
    if (parts && !summed) {
      for (SiteId rank : ranks_of(p_, *at.goal, at.env))
        sum = sum == 0 ? algebra_.contribution(tensor, rank) : algebra_.add(sum, algebra_.contribution(tensor, rank));
      summed = true;
    }
    gather_cells(need);
    for (std::size_t k = 0; k < required_.size() && faults_.size() < most_; ++k) {
      if (k + kAhead < required_.size()) state_.prefetch(key(region(need.buffer, need.site), required_[k + kAhead]));
      Value value = 0, wanted = sum;
      const std::uint64_t cell = required_[k];
      const bool present = peek(need.buffer, need.site, cell, value);
      const bool known = parts || meaning_.expected(tensor, cell, wanted);
      if (!present || !known || !algebra_.same(value, wanted)) unmet(at, need, cell, present, value, wanted, known);
    }
  });
  goal_phase_ = false;
}

void Walk::unmet(const GoalAt& at, const Requirement& need, std::uint64_t cell, bool present, Value value, Value wanted,
                 bool known) {
  const std::string piece = piece_text(need.buffer, need.site, cell);
  if (!known) {
    fault(fmt::format("nothing says what {} is: it neither starts anywhere nor has a `let`", piece));
    return;
  }
  if (!present) {
    fault(fmt::format("{} is required, and nothing arrives there", piece));
    return;
  }
  if (!unmet_.found) unmet_ = {true, at, need.site, need.buffer, cell, value, wanted};
  fault(fmt::format("{} does not hold what the goal requires", piece));
}

}  // namespace weft::program
