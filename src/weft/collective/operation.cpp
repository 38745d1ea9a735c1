// What the standard operations mean: their tensor, what lies where at the start, and their goal. No algorithm in here.
#include <fmt/format.h>

#include "weft/collective/collective.hpp"

namespace weft::collective {
namespace {

using program::GoalKind;

const Registry<Operation>::Entry all_reduce{
    "all-reduce", "every rank gets the sum of all ranks' buffers", {GoalKind::all_reduce, 1}};
const Registry<Operation>::Entry reduce_scatter{
    "reduce-scatter", "rank r gets piece r of the sum", {GoalKind::reduce_scatter, 1}};
const Registry<Operation>::Entry all_gather{
    "all-gather", "every rank gets every rank's piece", {GoalKind::all_gather, 1}};
const Registry<Operation>::Entry all_to_all{"all-to-all", "rank i's piece j goes to rank j", {GoalKind::all_to_all, 2}};

}  // namespace

Setting write_operation(program::Builder& builder, const Operation& operation, std::string_view site_name,
                        std::int64_t n, Bytes size) {
  using program::all;
  using program::Builder;
  Setting setting;
  setting.space = builder.space(std::string(site_name), {n});
  const program::SiteRef everyone = Builder::at(setting.space, {all()});
  if (operation.piece_axes == 2) {
    setting.x = builder.tensor("x", {n, n}, size * n);
  } else {
    setting.x = builder.tensor("x", {n}, size);
  }
  const program::VarId j = builder.var("j");
  const std::vector<program::SetIndex> ranks{{j, 0, n}};
  const program::SiteRef own = Builder::at(setting.space, {program::one(program::var(j))});
  if (operation.kind == GoalKind::all_gather) {
    builder.start(Builder::chunk(setting.x, {program::one(program::var(j))}), own, ranks);
  } else if (operation.kind == GoalKind::all_to_all) {
    builder.start(Builder::chunk(setting.x, {program::one(program::var(j)), all()}), own, ranks);
  } else {
    builder.start(Builder::chunk(setting.x), everyone);
  }
  builder.goal(operation.kind, setting.x, everyone);
  return setting;
}

}  // namespace weft::collective
