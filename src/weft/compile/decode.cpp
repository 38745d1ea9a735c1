// A decode step from tokens to logits: embedding, attention and dense layers, head. Mixtures of experts are in moe.cpp.
#include <fmt/format.h>

#include "weft/compile/step.hpp"

namespace weft::compile {

using program::all;
using program::one;
using program::var;

void Step::declare() {
  const model::Model& m = r_.model;
  const std::int64_t layers = s_.layers, g = s_.groups, hidden = s_.hidden, q = s_.q * s_.head_dim, tp = s_.tp;
  ids_ = b_.tensor("tokens", {g, s_.b, m.vocab}, Bytes(4 * r_.batch));  // as one-hot rows: 4 B a sequence
  table_ = b_.tensor("embedding", {m.vocab, hidden}, r_.dtype);
  norm_w_ = b_.tensor("norm-w", {2 * layers + 1, hidden}, r_.dtype);
  qkv_w_ = b_.tensor("qkv-w", {layers, tp * s_.qkv(), hidden}, r_.dtype);
  out_w_ = b_.tensor("out-w", {layers, hidden, tp * q}, r_.dtype);
  cache_ = b_.tensor("cache", {layers, g, s_.b, tp, r_.seq * 2 * s_.kv * s_.head_dim}, r_.dtype);
  head_w_ = b_.tensor("head-w", {m.vocab, hidden}, r_.dtype);
  h_ = activation("h", layers + 1, hidden);
  x_ = activation("x", layers + 1, hidden);
  qkv_ = activation("qkv-out", layers, tp * s_.qkv());
  att_ = activation("att", layers, tp * q);
  out_ = activation("out", layers, hidden);
  mid_ = activation("mid", layers, hidden);
  xm_ = activation("x-mid", layers, hidden);
  logits_ = b_.tensor("logits", {g, s_.b, m.vocab}, r_.dtype);

  start(ids_, {one(group()), all(), all()});
  start(table_, {slice(s_.vocab), all()});
  start(norm_w_, {all(), all()});
  start(qkv_w_, {all(), slice(s_.qkv()), all()});
  start(out_w_, {all(), all(), slice(q)});
  start(cache_, {all(), one(group()), all(), one(var(t_)), all()});
  start(head_w_, {slice(s_.vocab), all()});
  if (m.is_moe()) return declare_moe();
  const std::int64_t width = m.layers.front().intermediate;
  up_w_ = b_.tensor("up-w", {layers, 2 * width, hidden}, r_.dtype);
  down_w_ = b_.tensor("down-w", {layers, hidden, width}, r_.dtype);
  up_ = activation("up", layers, 2 * width);
  act_ = activation("act", layers, width);
  down_ = activation("down", layers, hidden);
  start(up_w_, {all(), slice(2 * width / tp), all()});
  start(down_w_, {all(), all(), slice(width / tp)});
}

void Step::norm(const std::string& name, std::vector<Piece> in, std::vector<Piece> out, std::int64_t read,
                const std::vector<After>& after) {
  const std::int64_t row = bytes(s_.b * s_.hidden);
  const auto written = static_cast<std::int64_t>(out.size()) * row;
  kernel({name,
          "norm",
          "elementwise",
          {{"read", read + bytes(s_.hidden)}, {"written", written}},
          std::move(out),
          std::move(in),
          after,
          false});
}

std::vector<After> Step::embed() {
  const std::vector<AxisRange> first{one(0), one(group()), all(), all()};
  const std::int64_t rows = bytes(s_.b * s_.hidden);
  kernel({"embed",
          "embed",
          "elementwise",
          {{"read", rows}, {"written", rows}},
          {{h_, first, {"", "g", "b", "k"}}},
          {{ids_, {one(group()), all(), slice(s_.vocab)}, {"g", "b", "v"}},
           {table_, {slice(s_.vocab), all()}, {"v", "k"}}},
          {},
          true,
          "v",  // a row for each sequence at most is looked up
          std::min(s_.vocab, s_.groups * s_.b)});
  const auto summed = all_reduce("sum-embed", h_, first, s_.hidden, Bytes(rows), "embed");
  norm("norm-first", {{h_, first, {}}, {norm_w_, {one(0), all()}, {}}}, {{x_, first, {}}}, rows, summed);
  return {{"norm-first"}};
}

void Step::attention(program::VarId l, const std::vector<After>& before) {
  const AxisRange at = one(var(l)), g = one(group());
  const std::int64_t q = s_.q * s_.head_dim;
  const std::vector<AxisRange> rows{at, g, all(), all()};
  kernel({"qkv",
          "qkv",
          "gemm",
          {{"m", s_.b}, {"n", s_.qkv()}, {"k", s_.hidden}},
          {{qkv_, {at, g, all(), slice(s_.qkv())}, {"", "g", "b", "n"}}},
          {{x_, rows, {"", "g", "b", "k"}}, {qkv_w_, {at, slice(s_.qkv()), all()}, {"", "n", "k"}}},
          before,
          true});
  kernel({"attention",
          "attention",
          "attention-decode",
          {{"sequences", s_.b}, {"heads", s_.q}, {"kv_heads", s_.kv}, {"head_dim", s_.head_dim}, {"context", r_.seq}},
          {{att_, {at, g, all(), slice(q)}, {}}},
          {{qkv_, {at, g, all(), slice(s_.qkv())}, {}}, {cache_, {at, g, all(), one(var(t_)), all()}, {}}},
          {{"qkv"}},
          false});
  kernel({"output",
          "output",
          "gemm",
          {{"m", s_.b}, {"n", s_.hidden}, {"k", q}},
          {{out_, rows, {"", "g", "b", "n"}}},
          {{att_, {at, g, all(), slice(q)}, {"", "g", "b", "k"}}, {out_w_, {at, all(), slice(q)}, {"", "n", "k"}}},
          {{"attention"}},
          true});
  const std::int64_t row = bytes(s_.b * s_.hidden);
  const auto summed = all_reduce("sum-out", out_, rows, s_.hidden, Bytes(row), "output");
  norm("norm-mid", {{h_, rows, {}}, {out_, rows, {}}, {norm_w_, {one(2 * var(l) + Lin(1)), all()}, {}}},
       {{mid_, rows, {}}, {xm_, rows, {}}}, 2 * row, summed);
}

std::vector<After> Step::dense(program::VarId l) {
  const AxisRange at = one(var(l)), g = one(group());
  const std::int64_t width = r_.model.layers.front().intermediate / s_.tp;
  const std::vector<AxisRange> rows{at, g, all(), all()};
  kernel({"gate-up",
          "feed-forward",
          "gemm",
          {{"m", s_.b}, {"n", 2 * width}, {"k", s_.hidden}},
          {{up_, {at, g, all(), slice(2 * width)}, {"", "g", "b", "n"}}},
          {{xm_, rows, {"", "g", "b", "k"}}, {up_w_, {at, slice(2 * width), all()}, {"", "n", "k"}}},
          {{"norm-mid"}},
          true});
  kernel({"activation",
          "feed-forward",
          "elementwise",
          {{"read", bytes(s_.b * 2 * width)}, {"written", bytes(s_.b * width)}},
          {{act_, {at, g, all(), slice(width)}, {}}},
          {{up_, {at, g, all(), slice(2 * width)}, {}}},
          {{"gate-up"}},
          false});
  kernel({"down",
          "feed-forward",
          "gemm",
          {{"m", s_.b}, {"n", s_.hidden}, {"k", width}},
          {{down_, rows, {"", "g", "b", "n"}}},
          {{act_, {at, g, all(), slice(width)}, {"", "g", "b", "k"}},
           {down_w_, {at, all(), slice(width)}, {"", "n", "k"}}},
          {{"activation"}},
          true});
  return all_reduce("sum-down", down_, rows, s_.hidden, Bytes(bytes(s_.b * s_.hidden)), "down");
}

void Step::layer(program::VarId l, const std::vector<After>& before) {
  const std::vector<AxisRange> rows{one(var(l)), one(group()), all(), all()};
  const std::vector<AxisRange> next{one(var(l) + Lin(1)), one(group()), all(), all()};
  const std::int64_t row = bytes(s_.b * s_.hidden);
  attention(l, before);
  const bool moe_layer = r_.model.is_moe();
  const std::vector<After> done = moe_layer ? moe(l) : dense(l);
  const Piece added = moe_layer ? returned() : Piece{down_, rows, {}};
  norm("norm-next", {{mid_, rows, {}}, added, {norm_w_, {one(2 * var(l) + Lin(2)), all()}, {}}},
       {{h_, next, {}}, {x_, next, {}}}, row + (moe_layer ? returned_bytes() : row), done);
}

void Step::head() {
  kernel({"head",
          "head",
          "gemm",
          {{"m", s_.b}, {"n", s_.vocab}, {"k", s_.hidden}},
          {{logits_, {one(group()), all(), slice(s_.vocab)}, {"g", "b", "n"}}},
          {{x_, {one(s_.layers), one(group()), all(), all()}, {"", "g", "b", "k"}},
           {head_w_, {slice(s_.vocab), all()}, {"n", "k"}}},
          {{"norm-next"}},
          true});
  program::Goal goal;
  goal.buffer = logits_;
  goal.ranks = Builder::at(gpu_, std::vector<AxisRange>(s_.nodes > 1 ? 4 : 3, all()));
  goal.place.push_back(
      {indices(), Builder::chunk(logits_, {one(group()), all(), slice(s_.vocab)}), Builder::at(gpu_, here()), 0});
  b_.goal(std::move(goal));
}

void Step::write() {
  declare();
  std::vector<After> before = embed();
  before.push_back({"norm-next", 1});
  b_.repeat(s_.layers, "l", [&](program::VarId l) { b_.meaning_repeat(s_.layers, l, [&] { layer(l, before); }); });
  head();
}

}  // namespace weft::compile
