// Properties: what verify accepts does on real numbers what its goal says; what lacks one move is refused.
#include <cmath>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "weft/program/goals.hpp"
#include "weft/program/interpret.hpp"
#include "weft/program/verify_cases.hpp"

namespace weft::test {
namespace {

double own(const std::string&, SiteId site, std::int64_t cell) {
  return 1000.0 * (site + 1) + static_cast<double>(cell);
}
double shared(const std::string&, SiteId, std::int64_t cell) {
  return 3.0 + static_cast<double>(cell);
}

std::vector<int> random_tree() {
  const int n = *rc::gen::inRange(2, 9);
  std::vector<int> parent(1, 0);
  for (int k = 1; k < n; ++k) parent.push_back(*rc::gen::inRange(0, k));
  return parent;
}

/// True when every requirement of the first goal holds on real numbers.
bool meets_goal(const Program& p, std::uint32_t sites) {
  const bool sums = reducing(p.goals[0].kind);
  const Interpretation r = interpret(expand(p, sites), sums ? own : shared);
  const std::vector<std::int64_t> env(p.vars.size() + 1, 0);
  const std::vector<SiteId> ranks = ranks_of(p, p.goals[0], env.data());
  bool good = true;
  for_each_requirement(p, p.goals[0], env.data(), [&](const Requirement& need) {
    const auto found = r.memory.find({p.buffers[need.buffer].name, need.site});
    if (found == r.memory.end()) {
      good = false;
      return;
    }
    const std::vector<std::int64_t>& shape = p.tensors[p.buffers[need.buffer].tensor].shape;
    for (std::size_t cell = 0; cell < found->second.size(); ++cell) {
      std::int64_t rest = static_cast<std::int64_t>(cell);
      bool inside = true;
      for (std::size_t k = shape.size(); k > 0; --k) {
        const std::int64_t at = rest % shape[k - 1];
        inside = inside && at >= need.boxes[0].lo[k - 1] && at < need.boxes[0].hi[k - 1];
        rest /= shape[k - 1];
      }
      double wanted = sums ? 0 : shared("", 0, static_cast<std::int64_t>(cell));
      for (const SiteId rank : ranks) wanted += sums ? own("", rank, static_cast<std::int64_t>(cell)) : 0;
      if (inside && found->second[cell] != wanted) good = false;
    }
  });
  return good;
}

bool verified(const Program& p, std::uint32_t sites) {
  return verify(p, hub(sites, 1e9, 0)).verified;
}

RC_GTEST_PROP(VerifyProperty, RandomReduceTreesAreAcceptedAndSum, ()) {
  const std::vector<int> parent = random_tree();
  const Program p = reduce_tree(parent);
  const auto n = static_cast<std::uint32_t>(parent.size());
  RC_ASSERT(verified(p, n));
  RC_ASSERT(meets_goal(p, n));
}

RC_GTEST_PROP(VerifyProperty, AReduceTreeWithoutOneMoveIsRefused, ()) {
  const std::vector<int> parent = random_tree();
  const auto n = static_cast<int>(parent.size());
  const Program p = reduce_tree(parent, *rc::gen::inRange(1, n));
  RC_ASSERT(!verified(p, static_cast<std::uint32_t>(n)));
  RC_ASSERT(!meets_goal(p, static_cast<std::uint32_t>(n)));
}

RC_GTEST_PROP(VerifyProperty, RingsSumEverywhereAndNotWithoutOneMove, ()) {
  const auto n = static_cast<std::uint32_t>(*rc::gen::inRange(2, 8));
  RC_ASSERT(verified(ring_all_reduce(n), n));
  RC_ASSERT(meets_goal(ring_all_reduce(n), n));
  const int drop = *rc::gen::inRange(0, 2 * (static_cast<int>(n) - 1));
  RC_ASSERT(!verified(ring_all_reduce(n, drop), n));
}

RC_GTEST_PROP(VerifyProperty, AllToAllsDeliverAndNotWithoutOneRanksMoves, ()) {
  const auto n = static_cast<std::uint32_t>(*rc::gen::inRange(2, 9));
  RC_ASSERT(verified(all_to_all(n, n), n));
  RC_ASSERT(meets_goal(all_to_all(n, n), n));
  RC_ASSERT(!verified(all_to_all(n, *rc::gen::inRange<std::int64_t>(0, n)), n));
}

/// An edge fewer never makes a wrong Program right; where verify still accepts, the numbers are right too.
RC_GTEST_PROP(VerifyProperty, WithoutOneEdgeAReduceTreeIsRefused, ()) {
  const std::vector<int> parent = random_tree();
  Program p = reduce_tree(parent);
  std::vector<std::pair<std::size_t, std::size_t>> edges;
  for (std::size_t t = 0; t < p.tasks.size(); ++t) {
    for (std::size_t k = 0; k < p.tasks[t].edges.size(); ++k) edges.emplace_back(t, k);
  }
  const auto [task, edge] = edges[*rc::gen::inRange<std::size_t>(0, edges.size())];
  p.tasks[task].edges.erase(p.tasks[task].edges.begin() + static_cast<std::ptrdiff_t>(edge));
  RC_ASSERT(!verified(p, static_cast<std::uint32_t>(parent.size())));
}

}  // namespace
}  // namespace weft::test
