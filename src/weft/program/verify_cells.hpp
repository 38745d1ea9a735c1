// Cells: the coarsest pieces of a tensor that every box a Program uses is a union of.
//
// Axis 0 is cut into slabs at every bound of every box; axis 1 is cut within each slab, at the bounds of the boxes that
// meet the slab (so a table's pieces of one rank do not cut those of another); further axes are cut for the whole tensor. A box
// is then a few runs of consecutive cell numbers. A tensor that is only used whole is one cell.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/program/program.hpp"

namespace weft::program {

class Cells {
 public:
  explicit Cells(const Tensor& tensor);
  /// Cutting takes two looks at all boxes: first at axis 0, then at the others.
  void cut_first(std::span<const std::int64_t> box);
  void seal_first();
  void cut_rest(std::span<const std::int64_t> box);
  void seal();

  std::uint64_t count() const { return count_; }
  /// Calls visit(first, last) for runs of cells [first, last) that make up the box.
  template <class Visit>
  void runs(std::span<const std::int64_t> box, Visit&& visit) const;
  /// The box of one cell: lo and hi of each axis in turn.
  void box_of(std::uint64_t cell, std::vector<std::int64_t>& out) const;
  std::int64_t volume_of_cell(std::uint64_t cell) const { return equal_ > 0 ? equal_ : volume_of_unequal(cell); }

 private:
  using Cuts = std::vector<std::int64_t>;
  template <class Visit>
  void runs_of_row(std::uint64_t row, std::span<const std::int64_t> box, Visit& visit) const;
  static std::size_t interval(const Cuts& cuts, std::int64_t at);
  static void settle(Cuts& cuts);
  /// Distance of the cuts where all are equally far apart, else 0.
  static std::int64_t spacing(const Cuts& cuts);
  std::int64_t volume_of_unequal(std::uint64_t cell) const;
  void find_equal();

  std::vector<std::int64_t> shape_;
  Cuts first_;
  bool full_ = false;                   ///< every index of axis 0 is a cut
  std::vector<Cuts> second_;            ///< by slab; empty for tensors of one axis
  std::vector<std::size_t> settled_;    ///< size of second_[slab] when it was last made unique; 0: every index is a cut
  std::vector<std::uint64_t> base_;     ///< cells of axis 1 before each slab
  std::vector<Cuts> further_;           ///< axes 2, 3, ...
  std::uint64_t rest_ = 1, count_ = 1;  ///< cells of the further axes; all cells
  std::int64_t equal_ = 0;              ///< volume of every cell, where all are equal
};

template <class Visit>
void Cells::runs(std::span<const std::int64_t> box, Visit&& visit) const {
  if (shape_.empty()) {
    visit(std::uint64_t{0}, std::uint64_t{1});
    return;
  }
  for (std::size_t k = 0; k < box.size(); k += 2) {
    if (box[k + 1] <= box[k]) return;
  }
  const std::size_t from = interval(first_, box[0]), to = interval(first_, box[1]);
  if (shape_.size() == 1) {
    visit(std::uint64_t{from}, std::uint64_t{to});
    return;
  }
  bool whole = true;
  for (std::size_t k = 2; k < shape_.size(); ++k) whole = whole && box[2 * k] == 0 && box[2 * k + 1] == shape_[k];
  for (std::size_t slab = from; slab < to; ++slab) {
    const std::uint64_t lo = base_[slab] + interval(second_[slab], box[2]);
    const std::uint64_t hi = base_[slab] + interval(second_[slab], box[3]);
    if (whole) {
      visit(lo * rest_, hi * rest_);
      continue;
    }
    for (std::uint64_t row = lo; row < hi; ++row) runs_of_row(row, box, visit);
  }
}

/// One cell of the first two axes: runs along the last axis, for every place on those between.
template <class Visit>
void Cells::runs_of_row(std::uint64_t row, std::span<const std::int64_t> box, Visit& visit) const {
  std::vector<std::size_t> a(further_.size()), b(further_.size());
  for (std::size_t k = 0; k < further_.size(); ++k) {
    a[k] = interval(further_[k], box[4 + 2 * k]);
    b[k] = interval(further_[k], box[5 + 2 * k]);
  }
  std::vector<std::size_t> at = a;
  for (bool more = true; more;) {
    std::uint64_t cell = row;
    for (std::size_t k = 0; k < further_.size(); ++k) cell = cell * (further_[k].size() - 1) + at[k];
    const std::size_t last = further_.size() - 1;
    visit(cell, cell + (b[last] - at[last]));
    at[last] = b[last] - 1;
    std::size_t k = further_.size();
    while (k > 0 && ++at[k - 1] == b[k - 1]) {
      at[k - 1] = a[k - 1];
      --k;
    }
    more = k > 0;
  }
}

}  // namespace weft::program
