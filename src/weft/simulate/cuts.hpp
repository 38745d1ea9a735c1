// How streams cut tasks into grains.
//
// `B streams A by g`: A's bytes are cut at g, 2g, ..., and B at the same fractions. A task with several streams is cut at
// the union of their fractions. Fractions are exact (ratios of integers), so two streams that cut at the same places share a
// cut. A grain of a stream edge may so be several grains of a node; the map between the two is kept where they differ.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "weft/simulate/graph.hpp"

namespace weft::simulate {

class Cuts {
 public:
  explicit Cuts(const Graph& graph);

  std::uint32_t grains(std::uint32_t node) const { return static_cast<std::uint32_t>(list_of(node).size()); }
  /// End of the node's k-th grain as a fraction of its whole, in (0, 1].
  double end(std::uint32_t node, std::uint32_t k) const { return list_of(node)[k].value(); }
  /// Grains of the stream's source / follower that have to be done for the edge's grains 0..i to be done.
  std::uint32_t from_needed(std::uint32_t stream, std::uint32_t i) const { return needed(from_map_[stream], i); }
  std::uint32_t to_needed(std::uint32_t stream, std::uint32_t i) const { return needed(to_map_[stream], i); }
  std::uint32_t edge_grains(std::uint32_t stream) const { return edge_grains_[stream]; }

 private:
  __extension__ using Wide = __int128;
  struct Fraction {
    std::int64_t num = 1, den = 1;
    double value() const { return static_cast<double>(num) / static_cast<double>(den); }
    bool operator<(const Fraction& o) const { return static_cast<Wide>(num) * o.den < static_cast<Wide>(o.num) * den; }
    bool operator==(const Fraction& o) const {
      return static_cast<Wide>(num) * o.den == static_cast<Wide>(o.num) * den;
    }
  };
  using List = std::vector<Fraction>;
  using Key = std::pair<std::int64_t, std::int64_t>;  ///< grain and bytes without their common divisor

  const List& list_of(std::uint32_t node) const { return *lists_[node_list_[node]]; }
  static std::uint32_t needed(const std::vector<std::uint32_t>* map, std::uint32_t i) {
    return map == nullptr ? i + 1 : (*map)[i];
  }
  std::uint32_t list_for(const Key& key);
  std::uint32_t union_of(std::vector<std::uint32_t> parts);
  const std::vector<std::uint32_t>* map_between(std::uint32_t edge_list, std::uint32_t node_list);

  std::vector<std::unique_ptr<List>> lists_;
  std::map<Key, std::uint32_t> by_key_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> unions_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<std::vector<std::uint32_t>>> maps_;
  std::vector<std::uint32_t> node_list_, edge_grains_;
  std::vector<const std::vector<std::uint32_t>*> from_map_, to_map_;
};

}  // namespace weft::simulate
