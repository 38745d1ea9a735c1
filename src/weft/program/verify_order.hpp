// Does an edge, or a chain of edges, order one plain task before another?
//
// strict   every chain with at least one `after` makes the later one start when the earlier has ended
// grainwise  a chain of `streams` alone: each grain of the later one starts after the same fraction of the earlier has ended.
//          That orders what both touch at the same fractions, which is what a stream is legal for: it is enough for data, not
//          for circuits.
// A window orders nothing that a later writer could rely on: it holds back the earlier task, and says only that the later one
// has begun; the reader's end is ordered by edges to the reader alone.
#pragma once
#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "weft/program/expand.hpp"
#include "weft/program/expand_bind.hpp"
#include "weft/program/verify_chain.hpp"

namespace weft::program {

class Order {
 public:
  Order(const Expansion& expansion, std::uint32_t sites);
  /// Members a (of instance ai) before b (of instance bi).
  bool ordered(InstanceId ai, std::uint32_t a, InstanceId bi, std::uint32_t b, bool strict = false);
  /// Edges and members looked at so far: a measure of the time spent.
  std::uint64_t steps() const { return steps_; }

 private:
  bool all_before(InstanceId ai, InstanceId bi, bool strict);
  int search(InstanceId ai, std::uint32_t a, InstanceId bi, std::uint32_t b, bool strict);

  const Expansion& e_;
  Binding binding_;
  Chain chains_[2]{{e_, binding_, Chain::Side::destination}, {e_, binding_, Chain::Side::source}};
  absl::flat_hash_map<std::uint64_t, bool> all_[2];
  absl::flat_hash_set<std::uint64_t> seen_;
  std::uint64_t steps_ = 0;
  struct Step {
    InstanceId instance;
    std::uint32_t member;
    bool after;
  };
  bool behind(InstanceId ai, std::uint32_t a, InstanceId bi, std::uint32_t b, bool strict);
  struct Later {
    bool operator()(const Step& x, const Step& y) const { return x.instance < y.instance; }
  };
  struct Cone {
    std::uint32_t of = kNone;
    bool strict = false;
    absl::flat_hash_map<std::uint32_t, std::uint8_t> reached;  ///< 1: by streams alone, 2: by some `after`
    std::priority_queue<Step, std::vector<Step>, Later> open;
  };
  Cone cone_;
  std::vector<Step> stack_;
  std::deque<Step> queue_;
};

}  // namespace weft::program
