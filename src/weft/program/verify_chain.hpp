// Short cuts through long Programs: of each plain task, one predecessor that shares its place, so that a search for an
// earlier task can pass thousands of rounds in a few steps.
//
// A member has two chains of predecessors by edges: one stays at its destination site, one at its source site. Of the
// members that an edge binds it to, the chain takes the latest that touches the site, and among equals the one that
// ends (starts) there too. Chains are followed with jump pointers (a skew-binary list: O(log n) steps to any ancestor,
// two pointers a member), and are found when they are first asked for. They only speed the search up: what they reach
// is reached by edges.
#pragma once
#include <cstdint>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "weft/program/expand.hpp"
#include "weft/program/expand_bind.hpp"

namespace weft::program {

class Chain {
 public:
  enum class Side : std::uint8_t { destination, source };
  Chain(const Expansion& expansion, Binding& binding, Side side) : e_(expansion), binding_(binding), side_(side) {}

  struct Reached {
    InstanceId instance = 0;
    std::uint32_t member = 0;
    bool after = false;  ///< an `after` edge is on the way
  };
  /// The earliest member of the chain from `member` whose instance is later than `floor`; itself if there is none.
  Reached earliest_after(InstanceId instance, std::uint32_t member, InstanceId floor);

 private:
  struct Node {
    InstanceId instance = kNone;
    std::uint32_t parent = kNone, jump = kNone;  ///< members
    std::uint32_t depth = 0;
    bool parent_after = false, jump_after = false;
  };
  Node& known(InstanceId instance, std::uint32_t member);
  void link(Node& node, const Node& parent);
  SiteId place(const Member& m) const { return side_ == Side::destination ? m.dst : m.src; }

  const Expansion& e_;
  Binding& binding_;
  Side side_;
  absl::flat_hash_map<std::uint32_t, Node> nodes_;
  std::vector<std::pair<InstanceId, std::uint32_t>> way_;
};

}  // namespace weft::program
