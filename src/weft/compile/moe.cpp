// A layer's mixture of experts: router, exchange of rows, grouped products of this rank's experts, and the way back.
//
// Rows of expert x in group d are cells [d, x, i, :], i up to the mean number of rows an expert gets; the tensors'
// bytes are those of exactly b k rows a rank, which need not divide over the experts. With tp > 1 every rank of a tp
// group gets whole rows and computes its columns of the width, so the sums after `down` are over t, of all rows;
// `finalize` then weighs and adds up the rows of each token. (As an einsum that sum would stand for dense work over all
// experts, and the bound would count it.)
#include <algorithm>
#include <cmath>

#include "weft/compile/step.hpp"

namespace weft::compile {

using program::all;
using program::one;
using program::range;
using program::var;

AxisRange Step::own_experts() const {
  const std::int64_t per_rank = r_.model.experts / s_.ep;
  return range(per_rank * expert_rank(), per_rank);
}

void Step::declare_moe() {
  const model::Model& m = r_.model;
  demand_ = model::expected_demand(r_.routing, m.experts, m.top_k, s_.ep, static_cast<double>(s_.b));
  const std::int64_t layers = s_.layers, width = m.layers.front().intermediate, tp = s_.tp;
  const std::int64_t rows = s_.b * s_.ep * m.top_k;                 // of one group d, over all experts
  const std::int64_t deepest = (rows + m.experts - 1) / m.experts;  // of one expert
  const auto cells = [&](const std::string& name, std::int64_t columns) {
    return b_.tensor(name, {layers, s_.dp, m.experts, deepest, columns}, Bytes(bytes(layers * s_.dp * rows * columns)));
  };
  router_w_ = b_.tensor("router-w", {layers, m.experts, s_.hidden}, r_.dtype);
  up_w_ = b_.tensor("up-w", {layers, m.experts, 2 * width, s_.hidden}, r_.dtype);
  down_w_ = b_.tensor("down-w", {layers, m.experts, s_.hidden, width}, r_.dtype);
  scores_ = activation("scores", layers, m.experts);
  choice_ = b_.tensor("choice", {layers, s_.groups, s_.b, m.experts, deepest}, Bytes(8 * layers * r_.batch * m.top_k));
  rows_ = cells("rows", s_.hidden);
  up_ = cells("up", 2 * width);
  act_ = cells("act", width);
  down_ = cells("down", s_.hidden);
  start(router_w_, {all(), all(), all()});
  start(up_w_, {all(), own_experts(), slice(2 * width / tp), all()});
  start(down_w_, {all(), own_experts(), all(), slice(width / tp)});
  declare_exchange();
}

std::vector<After> Step::moe(VarId l) {
  const model::Model& m = r_.model;
  const AxisRange at = one(var(l)), g = one(group());
  const std::vector<AxisRange> rows{at, g, all(), all()};
  const std::vector<AxisRange> choice{at, g, all(), all(), all()};
  const std::int64_t row = bytes(s_.b * s_.hidden);
  kernel({"router",
          "router",
          "gemm",
          {{"m", s_.b}, {"n", m.experts}, {"k", s_.hidden}},
          {{scores_, rows, {"", "g", "b", "n"}}},
          {{xm_, rows, {"", "g", "b", "k"}}, {router_w_, {at, all(), all()}, {"", "n", "k"}}},
          {{"norm-mid"}},
          true});
  kernel({"topk",
          "router",
          "topk",
          {{"rows", s_.b}, {"experts", m.experts}, {"k", m.top_k}},
          {{choice_, choice, {}}},
          {{scores_, rows, {}}},
          {{"router"}},
          false});
  kernel({"pack",
          "dispatch",
          "elementwise",
          {{"read", row + 8 * s_.b * m.top_k}, {"written", s_.ep * pair_}},
          {{packed_, {g, all()}, {}}},
          {{xm_, rows, {}}, {choice_, choice, {}}},
          {{"topk"}},
          false});
  const std::vector<After> done = experts(l, dispatch("pack"));
  const AxisRange d = one(var(d_));
  kernel({"finalize",
          "combine",
          "elementwise",
          {{"read", bytes(s_.b * m.top_k * s_.hidden)}, {"written", s_.ep * pair_}},
          {departing()},
          {{down_, {at, d, own_experts(), all(), all()}, {}}},
          done,
          false});
  return combine("finalize");
}

std::vector<After> Step::experts(VarId l, const std::vector<After>& before) {
  const model::Model& m = r_.model;
  const std::int64_t width = m.layers.front().intermediate / s_.tp, rows = s_.b * m.top_k;
  const std::int64_t groups = std::clamp<std::int64_t>(std::llround(demand_.active_experts()), 1, m.experts / s_.ep);
  // Experts that any token of an ep group reaches; no more than the kernels are told to read.
  const std::int64_t active = std::min(std::llround(demand_.active_experts() * static_cast<double>(s_.ep)),
                                       static_cast<long long>(groups * s_.ep));
  const AxisRange at = one(var(l)), d = one(var(d_)), own = own_experts();
  const std::vector<AxisRange> whole{at, d, own, all(), all()}, cut{at, d, own, all(), slice(width)};
  kernel({"permute",
          "experts",
          "elementwise",
          {{"read", s_.ep * pair_}, {"written", bytes(rows * s_.hidden)}},
          {{rows_, whole, {}}},
          {arrived()},
          before,
          false});
  const std::vector<AxisRange> wide{at, d, own, all(), slice(2 * width)};
  kernel({"gate-up",
          "experts",
          "grouped-gemm",
          {{"groups", groups}, {"m", rows}, {"n", 2 * width}, {"k", s_.hidden}},
          {{up_, wide, {"", "d", "x", "i", "n"}}},
          {{rows_, whole, {"", "d", "x", "i", "k"}}, {up_w_, {at, own, slice(2 * width), all()}, {"", "x", "n", "k"}}},
          {{"permute"}},
          true,
          "x",
          active});
  kernel({"activation",
          "experts",
          "elementwise",
          {{"read", bytes(rows * 2 * width)}, {"written", bytes(rows * width)}},
          {{act_, cut, {}}},
          {{up_, wide, {}}},
          {{"gate-up"}},
          false});
  KernelStep down{
      "down",
      "experts",
      "grouped-gemm",
      {{"groups", groups}, {"m", rows}, {"n", s_.hidden}, {"k", width}},
      {{down_, whole, {"", "d", "x", "i", "n"}}},
      {{act_, cut, {"", "d", "x", "i", "k"}}, {down_w_, {at, own, all(), slice(width)}, {"", "x", "n", "k"}}},
      {{"activation"}},
      true,
      "x",
      active};
  kernel(down);
  return all_reduce("sum-down", down_, whole, s_.hidden, Bytes(bytes(rows * s_.hidden)), "down");
}

}  // namespace weft::compile
