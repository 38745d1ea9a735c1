// Small Programs that the tests of this folder share: each is correct as written and can be spoiled in one place.
#pragma once
#include <string>
#include <vector>

#include "support/flat_machine.hpp"
#include "weft/program/builder.hpp"
#include "weft/program/verify.hpp"

namespace weft::test {

using namespace weft::program;

/// x over n ranks summed at rank 0 along any tree: parent[k] < k for k >= 1. `skip`: the move of this rank is left out.
inline Program reduce_tree(const std::vector<int>& parent, int skip = -1) {
  const auto n = static_cast<std::int64_t>(parent.size());
  Builder b("tree");
  const SpaceId pe = b.space("pe", {n});
  const TensorId x = b.tensor("x", {4}, DType::f32);
  b.start(Builder::chunk(x), Builder::at(pe, {all()}));
  b.goal(GoalKind::reduce, x, Builder::at(pe, {all()}), Builder::at(pe, {one(0)}));
  std::vector<std::string> last(parent.size());
  std::vector<BufferId> in;
  for (std::size_t k = 1; k < parent.size(); ++k) in.push_back(b.buffer("in" + std::to_string(k), x));
  for (std::size_t k = parent.size() - 1; k > 0; --k) {
    if (static_cast<int>(k) == skip) continue;
    const auto up = static_cast<std::size_t>(parent[k]);
    const std::string m = "m" + std::to_string(k), a = "a" + std::to_string(k);
    {
      auto t = b.move(m);
      t.what(Builder::chunk(x)).into(in[k - 1]).from(pe, {one(static_cast<std::int64_t>(k))}).to(pe, {one(parent[k])});
      if (!last[k].empty()) t.streams(last[k], Bytes(4), 2);
    }
    auto t = b.compute(a, "add", DType::f32);
    t.reads(Builder::chunk(in[k - 1])).adds(Builder::chunk(x)).at(pe, {one(parent[k])}).streams(m, Bytes(4), 2);
    if (!last[up].empty()) t.after(last[up]);
    last[up] = a;
  }
  return b.take();
}

/// Ring all-reduce of x [n, 2] over n ranks; in round `drop` the member 0 of a phase is left out.
inline Program ring_all_reduce(std::int64_t n, int drop = -1) {
  Builder b("ring");
  const SpaceId gpu = b.space("gpu", {n});
  const TensorId x = b.tensor("x", {n, 2}, DType::f32);
  const BufferId in = b.buffer("in", x);
  const Lin j = var(b.var("j"));
  b.start(Builder::chunk(x), Builder::at(gpu, {all()}));
  b.goal(GoalKind::all_reduce, x, Builder::at(gpu, {all()}));
  std::string add;
  for (int s = 0; s < static_cast<int>(n) - 1; ++s) {
    const Lin piece = mod(j - s, n), came = mod(j - (s + 1), n);
    const std::string m = "m" + std::to_string(s), a = "a" + std::to_string(s);
    {
      auto t = b.move(m);
      t.what(Builder::chunk(x, {one(piece), program::all()}))
          .into(in)
          .from(gpu, {one(j)})
          .to(gpu, {one(mod(j + 1, n))});
      t.over(b.var("j"), s == drop ? 1 : 0, n);
      if (!add.empty()) t.after(add);
    }
    b.compute(a, "add", DType::f32)
        .reads(Builder::chunk(in, {one(came), program::all()}))
        .adds(Builder::chunk(x, {one(came), program::all()}))
        .at(gpu, {one(j)})
        .over(b.var("j"), 0, n)
        .after(m);
    add = a;
  }
  std::string last = add;
  for (int s = 0; s < static_cast<int>(n) - 1; ++s) {
    const Lin piece = mod(j + (1 - s), n);
    const std::string m = "g" + std::to_string(s);
    auto t = b.move(m);
    t.what(Builder::chunk(x, {one(piece), program::all()})).from(gpu, {one(j)}).to(gpu, {one(mod(j + 1, n))});
    t.over(b.var("j"), s + n - 1 == drop ? 1 : 0, n).after(last);
    last = m;
  }
  return b.take();
}

/// Pairwise all-to-all; `ranks_sending` below n leaves the last ranks' moves out.
inline Program all_to_all(std::int64_t n, std::int64_t ranks_sending) {
  Builder b("pairs");
  const SpaceId gpu = b.space("gpu", {n});
  const TensorId x = b.tensor("x", {n, n}, Bytes(n * n * 16));
  const Lin i = var(b.var("i"));
  b.start(Builder::chunk(x, {one(i), program::all()}), Builder::at(gpu, {one(i)}), {{b.var("i"), 0, n}});
  b.goal(GoalKind::all_to_all, x, Builder::at(gpu, {program::all()}));
  b.repeat(n - 1, "s", [&](VarId s) {
    const Lin to = mod(i + program::var(s) + 1, n);
    b.move("m")
        .what(Builder::chunk(x, {one(i), one(to)}))
        .from(gpu, {one(i)})
        .to(gpu, {one(to)})
        .over(b.var("i"), 0, ranks_sending)
        .after("m", 1);
  });
  return b.take();
}

/// O[m,n] += A[m,k]*B[k,n] on n cores: A's rows and B's columns lie one a core, B rotates. `shift` is where B goes.
inline Program compute_shift(std::int64_t n, std::int64_t shift = -1, std::int64_t depth = 16) {
  Builder b("compute-shift");
  const SpaceId core = b.space("core", {n});
  const TensorId a = b.tensor("A", {n, depth}, DType::f16), w = b.tensor("B", {depth, n}, DType::f16),
                 o = b.tensor("O", {n, n}, DType::f16);
  const VarId jv = b.var("j");
  const Lin j = var(jv);
  b.start(Builder::chunk(a, {one(j), program::all()}), Builder::at(core, {one(j)}), {{jv, 0, n}});
  b.start(Builder::chunk(w, {program::all(), one(j)}), Builder::at(core, {one(j)}), {{jv, 0, n}});
  Meaning product;
  product.out = {o, {"m", "n"}, {}};
  product.in = {{a, {"m", "k"}, {}}, {w, {"k", "n"}, {}}};
  b.meaning(product);
  Goal goal;
  goal.kind = GoalKind::place;
  goal.place.push_back({{{jv, 0, n}}, Builder::chunk(o, {one(j), program::all()}), Builder::at(core, {one(j)}), 0});
  b.goal(goal);
  const auto multiply = [&](const std::string& name, const Lin& column) {
    auto t = b.compute(name, "matmul", DType::f16);
    t.dim("m", 1).dim("k", depth).dim("n", 1).at(core, {one(j)}).over(jv, 0, n);
    t.reads(Builder::chunk(a, {one(j), program::all()})).reads(Builder::chunk(w, {program::all(), one(column)}));
    t.writes(Builder::chunk(o, {one(j), one(column)})).after("y", name == "c" ? 1 : 0);
  };
  b.repeat(n - 1, "i", [&](VarId i) {
    const Lin column = mod(j + program::var(i), n);
    multiply("c", column);
    b.move("s")
        .what(Builder::chunk(w, {program::all(), one(column)}))
        .from(core, {one(j)})
        .to(core, {one(mod(j + shift, n))})
        .over(jv, 0, n)
        .after("c");
    b.barrier("y", Builder::at(core, {program::all()})).after_all("s");
  });
  multiply("z", mod(j + (n - 1), n));
  return b.take();
}

}  // namespace weft::test
