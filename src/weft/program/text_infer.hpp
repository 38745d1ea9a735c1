// What a writer may leave out of a set: an index that stands alone in a site axis ranges over that axis.
//
//   c matmul ... at core[j]        with core 8: `over j 0..7`
//   m move x gpu[n,g] -> gpu[n,h]  over n, g and h, in the order of appearance (so the last one is the fastest)
//
// The text reader and the Builder add these ranges; the printer leaves out what they would add.
#pragma once
#include <span>
#include <vector>

#include "weft/program/program.hpp"

namespace weft::program {

/// The variable, when the range is one index that is a variable alone; else kNone.
VarId lone_variable(const AxisRange& range);

/// Appends to `over` the ranges implied by the site axes of `site`; variables in `bound` (repeat counters, block parameters)
/// and those that `over` already has are left alone.
void infer_over(const Program& program, const SiteRef& site, std::span<const VarId> bound, std::vector<SetIndex>& over);

/// The same for all sites of a task: at, or from and then to.
void infer_over(const Program& program, const Task& task, std::span<const VarId> bound, std::vector<SetIndex>& over);

}  // namespace weft::program
