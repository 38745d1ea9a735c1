#include "reduce_trees.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "weft/program/builder.hpp"

namespace weft::test {
namespace {

using program::AxisRange;
using program::Builder;
using program::one;

class Writer {
 public:
  Writer(const std::vector<std::uint32_t>& parent, std::int64_t wavelets, ChildOrder order)
      : parent_(parent), children_(parent.size()), order_(order) {
    const auto pes = static_cast<std::int64_t>(parent.size());
    pe_ = b_.space("pe", {pes});
    x_ = b_.tensor("x", {wavelets}, machine::DType::f32);
    for (std::uint32_t i = 1; i < parent.size(); ++i) children_[parent[i]].push_back(i);
    const std::vector<AxisRange> row = {program::range(0, pes)};
    b_.start(Builder::chunk(x_), Builder::at(pe_, row));
    b_.goal(program::GoalKind::reduce, x_, Builder::at(pe_, row), Builder::at(pe_, {one(0)}));
    for (std::size_t k = 0; k < widest(); ++k) in_.push_back(b_.buffer(fmt::format("in{}", k), x_));
  }

  program::Program write() {
    node(0);
    return b_.take();
  }

 private:
  std::size_t widest() const {
    std::size_t most = 0;
    for (const auto& list : children_) most = std::max(most, list.size());
    return most;
  }

  // Subtrees first, each ending with its root's move to `pe`, then the adds one after another, nearest child first.
  void node(std::uint32_t pe) {
    const std::vector<std::uint32_t>& children = children_[pe];
    for (std::size_t n = 0; n < children.size(); ++n) {
      const std::size_t k = order_ == ChildOrder::farthest_first ? children.size() - 1 - n : n;
      node(children[k]);
      send(children[k], in_[k]);
    }
    for (std::size_t k = 0; k < children.size(); ++k) {
      auto add = b_.compute(fmt::format("a{}.{}", pe, k), "add", machine::DType::f32);
      add.at(pe_, {one(pe)}).reads(Builder::chunk(in_[k])).adds(Builder::chunk(x_));
      add.streams(fmt::format("m{}", children[k]), Bytes(4), 1);
      if (k > 0) add.after(fmt::format("a{}.{}", pe, k - 1));
    }
  }

  void send(std::uint32_t pe, program::BufferId into) {
    auto move = b_.move(fmt::format("m{}", pe));
    move.what(Builder::chunk(x_)).from(pe_, {one(pe)}).to(pe_, {one(parent_[pe])}).into(into).lane(0);
    if (const std::size_t k = children_[pe].size(); k > 0) move.streams(fmt::format("a{}.{}", pe, k - 1), Bytes(4), 1);
  }

  const std::vector<std::uint32_t>& parent_;
  std::vector<std::vector<std::uint32_t>> children_;
  ChildOrder order_;
  Builder b_{"reduce tree"};
  program::SpaceId pe_ = 0;
  program::TensorId x_ = 0;
  std::vector<program::BufferId> in_;
};

}  // namespace

program::Program reduce_tree(const std::vector<std::uint32_t>& parent, std::int64_t wavelets, ChildOrder order) {
  return Writer(parent, wavelets, order).write();
}

std::vector<std::uint32_t> chain(std::uint32_t pes) {
  std::vector<std::uint32_t> parent(pes, 0);
  for (std::uint32_t i = 1; i < pes; ++i) parent[i] = i - 1;
  return parent;
}

std::vector<std::uint32_t> star(std::uint32_t pes) {
  return std::vector<std::uint32_t>(pes, 0);
}

std::vector<std::uint32_t> two_phase(std::uint32_t pes, std::uint32_t group) {
  std::vector<std::uint32_t> parent = chain(pes);
  const std::uint32_t rest = pes % group;
  std::uint32_t before = 0;  // first PE of the group to the left
  for (std::uint32_t first = rest == 0 ? group : rest; first < pes; first += group) {
    parent[first] = before;
    before = first;
  }
  return parent;
}

std::vector<std::uint32_t> binary_tree(std::uint32_t pes) {
  std::vector<std::uint32_t> parent(pes, 0);
  for (std::uint32_t i = 1; i < pes; ++i) parent[i] = i & (i - 1);
  return parent;
}

}  // namespace weft::test
