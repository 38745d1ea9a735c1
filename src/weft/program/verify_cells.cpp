#include "weft/program/verify_cells.hpp"

namespace weft::program {

Cells::Cells(const Tensor& tensor) : shape_(tensor.shape) {
  if (!shape_.empty()) first_ = {0, shape_[0]};
  for (std::size_t k = 2; k < shape_.size(); ++k) further_.push_back({0, shape_[k]});
}

void Cells::settle(Cuts& cuts) {
  std::ranges::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

std::size_t Cells::interval(const Cuts& cuts, std::int64_t at) {
  // The common case, every index a cut, asks for nothing but the ends.
  if (static_cast<std::size_t>(cuts.back()) + 1 == cuts.size()) return static_cast<std::size_t>(at);
  return static_cast<std::size_t>(std::ranges::lower_bound(cuts, at) - cuts.begin());
}

void Cells::cut_first(std::span<const std::int64_t> box) {
  if (shape_.empty() || (box[0] == 0 && box[1] == shape_[0])) return;
  const std::size_t n = first_.size();
  if (full_) return;
  if (n >= 2 && first_[n - 2] == box[0] && first_[n - 1] == box[1]) return;
  first_.push_back(box[0]);
  first_.push_back(box[1]);
  if (first_.size() > 4 * static_cast<std::size_t>(std::min<std::int64_t>(shape_[0], 1 << 26)) + 64) {
    settle(first_);
    full_ = first_.size() == static_cast<std::size_t>(shape_[0]) + 1;
  }
}

void Cells::seal_first() {
  settle(first_);
  if (shape_.size() < 2) return;
  second_.assign(first_.size() - 1, Cuts{0, shape_[1]});
  settled_.assign(second_.size(), 2);
}

void Cells::cut_rest(std::span<const std::int64_t> box) {
  if (shape_.size() < 2 || box[0] >= box[1]) return;
  if (box[2] != 0 || box[3] != shape_[1]) {
    const std::size_t to = interval(first_, box[1]);
    for (std::size_t slab = interval(first_, box[0]); slab < to; ++slab) {
      if (settled_[slab] == 0) continue;
      Cuts& cuts = second_[slab];
      cuts.push_back(box[2]);
      cuts.push_back(box[3]);
      if (cuts.size() > 2 * settled_[slab] + 64) {
        settle(cuts);
        settled_[slab] = cuts.size() == static_cast<std::size_t>(shape_[1]) + 1 ? 0 : cuts.size();
      }
    }
  }
  for (std::size_t k = 0; k < further_.size(); ++k) {
    const std::int64_t lo = box[4 + 2 * k], hi = box[5 + 2 * k];
    if (std::ranges::find(further_[k], lo) == further_[k].end()) further_[k].push_back(lo);
    if (std::ranges::find(further_[k], hi) == further_[k].end()) further_[k].push_back(hi);
  }
}

void Cells::seal() {
  if (shape_.empty()) {
    find_equal();
    return;
  }
  for (Cuts& cuts : further_) {
    settle(cuts);
    rest_ *= cuts.size() - 1;
  }
  if (shape_.size() == 1) {
    count_ = first_.size() - 1;
    find_equal();
    return;
  }
  base_.push_back(0);
  for (Cuts& cuts : second_) {
    settle(cuts);
    cuts.shrink_to_fit();
    base_.push_back(base_.back() + cuts.size() - 1);
  }
  count_ = base_.back() * rest_;
  find_equal();
}

void Cells::box_of(std::uint64_t cell, std::vector<std::int64_t>& out) const {
  out.assign(2 * shape_.size(), 0);
  if (shape_.empty()) return;
  const auto set = [&](std::size_t axis, const Cuts& cuts, std::size_t k) {
    out[2 * axis] = cuts[k];
    out[2 * axis + 1] = cuts[k + 1];
  };
  for (std::size_t k = further_.size(); k > 0; --k) {
    const std::uint64_t n = further_[k - 1].size() - 1;
    set(k + 1, further_[k - 1], static_cast<std::size_t>(cell % n));
    cell /= n;
  }
  auto slab = static_cast<std::size_t>(cell);
  if (shape_.size() > 1) {
    slab = static_cast<std::size_t>(std::ranges::upper_bound(base_, cell) - base_.begin() - 1);
    set(1, second_[slab], static_cast<std::size_t>(cell - base_[slab]));
  }
  set(0, first_, slab);
}

std::int64_t Cells::spacing(const Cuts& cuts) {
  if (cuts.size() < 2) return 0;
  const std::int64_t step = cuts[1] - cuts[0];
  for (std::size_t k = 1; k + 1 < cuts.size(); ++k) {
    if (cuts[k + 1] - cuts[k] != step) return 0;
  }
  return step;
}

void Cells::find_equal() {
  if (shape_.empty()) {
    equal_ = 1;
    return;
  }
  std::int64_t volume = spacing(first_);
  for (std::size_t slab = 0; slab < second_.size(); ++slab) {
    const std::int64_t step = spacing(second_[slab]);
    if (slab == 0) volume *= step;
    if (step != spacing(second_[0])) volume = 0;
  }
  for (const Cuts& cuts : further_) volume *= spacing(cuts);
  equal_ = volume;
}

std::int64_t Cells::volume_of_unequal(std::uint64_t cell) const {
  std::vector<std::int64_t> box;
  box_of(cell, box);
  std::int64_t v = 1;
  for (std::size_t k = 0; k < box.size(); k += 2) v *= box[k + 1] - box[k];
  return v;
}

}  // namespace weft::program
