// Rows of a mixture of experts on their way to the experts and back.
//
// Each rank packs its rows into columns so that the rows for rank e of the ep group are R columns from e D on. On one node the
// pieces do not overlap (D = R). Over N nodes of G ranks a row that several ranks of a node want stands once: the node's rows are
// M < G R columns, and its ranks' pieces lie in them at distance D = (M - R) / (G - 1), so that they cover and overlap as the
// demand says. A column is a byte, so R and M are the expected bytes of a message, rounded up once.
//
//   dispatch   nodes    packed  rank i of a node -> rank i of each other node    M bytes a message, scale-out
//              onward   packed  rank i -> the others of its node                 R bytes of each remote source, row by row
//              local    packed  rank -> the others of its node                   R bytes
//   combine    gather   back    rank -> rank i of its node                       R bytes for each source of index i
//              presum   sum     adds in the node: M bytes for each source
//              home     sum     rank i of a node -> rank i of each other node    M bytes, scale-out
//   one node:  dispatch (R bytes a pair) and combine (R bytes a pair)
//
// packed[g, .] is what group g packed; back[g, .] what g's experts return, columns (i N + node) R of the source (node, i);
// sum[node, .] what a node returns, columns ((d G + i) N + node of the source) M.
#include <algorithm>

#include "weft/compile/step.hpp"

namespace weft::compile {

using program::all;
using program::one;
using program::range;
using program::Table;
using program::var;

std::uint32_t Step::flat(std::int64_t d, std::int64_t e, std::int64_t t) const {
  return static_cast<std::uint32_t>((d * s_.ep + e) * s_.tp + t);
}

void Step::declare_exchange() {
  const Bytes row(bytes(s_.hidden));
  pair_ = model::row_bytes(demand_.rows_per_pair(), row).value();
  group_rows_ = pair_, stride_ = pair_;
  std::int64_t columns = s_.ep * pair_;
  if (s_.nodes > 1) {
    const std::int64_t distinct = model::row_bytes(demand_.rows_to_group(s_.per_node), row).value();
    group_rows_ = std::clamp(distinct, pair_, s_.per_node * pair_);
    stride_ = (group_rows_ - pair_) / (s_.per_node - 1);
    columns = (s_.ep - s_.per_node) * stride_ + group_rows_;
    sum_ = b_.tensor("sum", {s_.nodes, s_.dp * s_.ep * group_rows_}, machine::DType::u8);
  }
  packed_ = b_.tensor("packed", {s_.groups, columns}, machine::DType::u8);
  back_ = b_.tensor("back", {s_.groups, s_.ep * pair_}, machine::DType::u8);
  if (s_.ep > 1) make_tables();
}

namespace {

/// Rows of a table over all groups d and all t: `visit(d, t)` appends those of one.
template <class Visit>
std::vector<Table::Row> for_planes(const Sizes& s, const Visit& visit) {
  std::vector<Table::Row> rows;
  for (std::int64_t d = 0; d < s.dp; ++d) {
    for (std::int64_t t = 0; t < s.tp; ++t) visit(rows, d, t);
  }
  return rows;
}

}  // namespace

void Step::make_tables() {
  const std::int64_t N = s_.nodes, G = s_.per_node, R = pair_, M = group_rows_, ep = s_.ep;
  const auto lead = [&](std::int64_t d, std::int64_t e) { return static_cast<std::uint32_t>(d * ep + e); };
  const auto each_pair = [&](const auto& row) {
    return for_planes(s_, [&](std::vector<Table::Row>& rows, std::int64_t d, std::int64_t t) {
      for (std::int64_t a = 0; a < ep; ++a) {
        for (std::int64_t b = 0; b < ep; ++b) row(rows, d, t, a, b);
      }
    });
  };
  const auto local = each_pair([&](auto& rows, auto d, auto t, auto s, auto e) {
    if (s != e && s / G == e / G) rows.push_back({flat(d, s, t), flat(d, e, t), lead(d, s), e * stride_, R});
  });
  local_t_ = b_.table(N > 1 ? "local" : "dispatched", gpu_, local);
  const auto gather = each_pair([&](auto& rows, auto d, auto t, auto e, auto relay) {
    if (e != relay && e / G == relay / G)
      rows.push_back({flat(d, e, t), flat(d, relay, t), lead(d, e), relay % G * N * R, N * R});
  });
  up_t_ = b_.table(N > 1 ? "gathered" : "returned", gpu_, gather);
  if (N == 1) return;
  const auto nodes = each_pair([&](auto& rows, auto d, auto t, auto s, auto relay) {
    if (s % G == relay % G && s != relay)
      rows.push_back({flat(d, s, t), flat(d, relay, t), lead(d, s), relay / G * G * stride_, M});
  });
  nodes_t_ = b_.table("to-nodes", gpu_, nodes);
  const auto onward = each_pair([&](auto& rows, auto d, auto t, auto s, auto e) {
    const std::int64_t relay = e / G * G + s % G;
    if (s / G != e / G && relay != e) rows.push_back({flat(d, relay, t), flat(d, e, t), lead(d, s), e * stride_, R});
  });
  onward_t_ = b_.table("onward", gpu_, onward);
  const auto home = each_pair([&](auto& rows, auto d, auto t, auto relay, auto s) {
    if (s % G == relay % G && s != relay) {
      rows.push_back({flat(d, relay, t), flat(d, s, t), static_cast<std::uint32_t>(relay / G),
                      ((d * G + s % G) * N + s / G) * M, M});
    }
  });
  home_t_ = b_.table("home", gpu_, home);
}

Piece Step::arrived() const {
  if (s_.ep == 1) return {packed_, {one(group()), all()}, {}};
  return {packed_, {range(s_.ep * var(d_), s_.ep), range(stride_ * expert_rank(), pair_)}, {}};
}

Piece Step::departing() const {
  return {back_, {one(group()), all()}, {}};
}

Piece Step::returned() const {
  if (s_.nodes == 1) return {back_, {range(s_.ep * var(d_), s_.ep), range(pair_ * var(e_), pair_)}, {}};
  const Lin column = s_.per_node * s_.nodes * var(d_) + s_.nodes * var(e_) + var(node_);
  return {sum_, {all(), range(group_rows_ * column, group_rows_)}, {}};
}

std::int64_t Step::returned_bytes() const {
  return s_.nodes == 1 ? s_.ep * pair_ : s_.nodes * group_rows_;
}

std::vector<After> Step::dispatch(const std::string& after) {
  if (s_.ep == 1) return {{after}};
  const auto packed = Builder::chunk(packed_);
  const std::string inside = transport(s_.inside);
  if (s_.nodes == 1) {
    b_.move("dispatch").what(packed).by(local_t_).tag("dispatch").transport(inside).after(after);
    return {{"dispatch"}, {after}};
  }
  b_.move("dispatch-nodes").what(packed).by(nodes_t_).tag("dispatch").transport(transport("rdma")).after(after);
  b_.move("dispatch-onward")
      .what(packed)
      .by(onward_t_)
      .tag("dispatch")
      .transport(inside)
      .streams("dispatch-nodes", Bytes(bytes(s_.hidden)));
  b_.move("dispatch-local").what(packed).by(local_t_).tag("dispatch").transport(inside).after(after);
  return {{"dispatch-nodes"}, {"dispatch-onward"}, {"dispatch-local"}, {after}};
}

std::vector<After> Step::combine(const std::string& after) {
  if (s_.ep == 1) return {{after}};
  const auto back = Builder::chunk(back_);
  const std::string inside = transport(s_.inside);
  if (s_.nodes == 1) {
    b_.move("combine").what(back).by(up_t_).tag("combine").transport(inside).after(after);
    return {{"combine"}, {after}};
  }
  const std::int64_t N = s_.nodes, G = s_.per_node;
  b_.move("combine-gather").what(back).by(up_t_).tag("combine").transport(inside).after(after);
  const std::int64_t width = N * group_rows_;
  kernel({"presum",
          "combine",
          "elementwise",
          {{"read", G * N * pair_}, {"written", width}},
          {{sum_, {one(var(node_)), range(width * (G * var(d_) + var(e_)), width)}, {}}},
          {{back_, {range(s_.ep * var(d_) + G * var(node_), G), range(N * pair_ * var(e_), N * pair_)}, {}}},
          {{"combine-gather"}, {after}},
          false});
  b_.move("combine-home")
      .what(Builder::chunk(sum_))
      .by(home_t_)
      .tag("combine")
      .transport(transport("rdma"))
      .after("presum");
  return {{"combine-home"}, {"presum"}};
}

}  // namespace weft::compile
