// The meaning of a Program's tensors as values: equations evaluated on whole tensors, and the same rules for one task.
//
// einsum   The value of a cell of `out` is the sum over pieces of the operands of einsum(equation, box of the
// contracted axes
//          that the pieces have in common, their values). A piece must span the cell along the axes it shares with it.
//          A task contributes by the same rule from the boxes it reads, so tasks that split a contracted axis add up to
//          the whole.
// kernel   Any other operation gives each piece it writes the value opaque(op, out, {(tensor, value)}): for each tensor
// that is
//          read, the one value that all its pieces read have, or else the set of their values. So a kernel split along
//          any axis equals the whole one as long as what it reads is uniform along that axis. That it reads the right
//          parts is asked beside (verify_parts.hpp). Order of inputs does not matter; a missing input does.
// add      With inputs of the tensor it writes: the sum, piece by piece. copy: the same with one input.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "weft/program/expand.hpp"
#include "weft/program/verify_algebra.hpp"
#include "weft/program/verify_cells.hpp"

namespace weft::program {

/// One statement of the meaning in one round of its repeats.
struct Equation {
  const Meaning* statement = nullptr;
  std::vector<std::int64_t> env;
  std::vector<std::string> contracted;  ///< axes that the output does not have
};

/// A box of an operand with one value.
struct Piece {
  std::vector<std::int64_t> box;
  Value value = 0;
};

class MeaningOf {
 public:
  MeaningOf(const Program& program, const std::vector<Cells>& cells, Algebra& algebra);
  /// True when some equation writes the tensor.
  bool has(TensorId tensor) const { return !value_[tensor].empty(); }
  /// Value of a cell by the meaning; false where nothing says what lies there.
  bool expected(TensorId tensor, std::uint64_t cell, Value& value) const;
  /// Sum of what the equation gives for the box `out` from the pieces of its operands; false when nothing fits.
  bool contribution(std::uint32_t equation, std::span<const std::int64_t> out,
                    const std::vector<std::vector<Piece>>& operands, Value& sum);
  /// Einsum equations that write the tensor.
  const std::vector<std::uint32_t>& einsums(TensorId tensor) const { return of_[tensor]; }
  const Equation& equation(std::uint32_t k) const { return equations_[k]; }
  /// The equations of another kind that write exactly this box of the tensor, or else those that write it among others.
  void applies_to(TensorId tensor, std::span<const std::int64_t> written, std::vector<std::uint32_t>& out) const;
  std::vector<std::int64_t> box_of(const Equation& e, const Meaning::Operand& operand) const;
  /// False where a fixed axis of the operand lies outside the box.
  bool fits(const Equation& e, const Meaning::Operand& operand, std::span<const std::int64_t> box) const;

 private:
  void flatten(const std::vector<MeaningItem>& items, std::vector<std::int64_t>& env);
  void evaluate(std::uint32_t k);
  void evaluate_apply(const Equation& e);
  std::vector<Piece> pieces(const Equation& e, const Meaning::Operand& operand) const;
  void combine(std::uint32_t k, const std::vector<std::vector<Piece>>& operands, std::size_t at,
               std::span<const std::int64_t> out, std::vector<Interval>& ranges, std::vector<Value>& values, Value& sum,
               bool& any);
  void hold(TensorId tensor);

  const Program& p_;
  const std::vector<Cells>& cells_;
  Algebra& algebra_;
  std::vector<Equation> equations_;
  std::vector<std::vector<std::uint32_t>> of_;       ///< einsum equations by output
  std::vector<std::vector<std::uint32_t>> applies_;  ///< the others by output
  std::map<std::pair<TensorId, std::vector<std::int64_t>>, std::vector<std::uint32_t>>
      exact_;                              ///< applies by output box
  std::vector<std::vector<Value>> value_;  ///< by tensor and cell, for those that equations write
  std::vector<std::vector<std::uint8_t>> present_;
  std::vector<std::uint8_t> started_;
};

}  // namespace weft::program
