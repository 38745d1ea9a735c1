#include "weft/program/text_infer.hpp"

#include <algorithm>

namespace weft::program {

VarId lone_variable(const AxisRange& range) {
  if (range.all || range.count != 1) return kNone;
  const IndexExpr& e = range.lo;
  const bool alone = e.terms.size() == 1 && e.terms[0].coef == 1 && e.base == 0 && e.flip == 0 && e.mod == 0;
  return alone ? e.terms[0].var : kNone;
}

void infer_over(const Program& program, const SiteRef& site, std::span<const VarId> bound,
                std::vector<SetIndex>& over) {
  if (site.space == kNone) return;
  const Space& space = program.spaces[site.space];
  for (std::size_t k = 0; k < std::min(site.axes.size(), space.shape.size()); ++k) {
    const VarId var = lone_variable(site.axes[k]);
    if (var == kNone || std::ranges::find(bound, var) != bound.end()) continue;
    if (std::ranges::find(over, var, &SetIndex::var) != over.end()) continue;
    over.push_back({var, 0, space.shape[k]});
  }
}

void infer_over(const Program& program, const Task& task, std::span<const VarId> bound, std::vector<SetIndex>& over) {
  if (task.kind == Kind::move) {
    infer_over(program, task.from, bound, over);
    infer_over(program, task.to, bound, over);
  } else {
    infer_over(program, task.at, bound, over);
  }
}

}  // namespace weft::program
