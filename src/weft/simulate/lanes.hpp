// Lanes: on each link, the moves of one lane are served strictly by number; equal numbers share.
//
// A queue exists for each (link, lane) that moves of at least two numbers cross. A move may be served when it is in the
// front group of all its queues. When the last of a group leaves a link, the link is handed over to the next group at that
// time: a head that stood there has only the latency behind the link left.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "weft/simulate/graph.hpp"

namespace weft::simulate {

class Lanes {
 public:
  explicit Lanes(const Graph& graph);

  /// Queues in which the node is not yet in front.
  std::uint32_t blocked(std::uint32_t node) const { return blocked_[node]; }
  /// Latency from the node's source to the first link it has to wait for; -1 when none.
  Tick first_wait(std::uint32_t node) const;

  struct Handover {
    std::uint32_t node;  ///< has come to the front
    Tick before;         ///< latency from its source to the link
    double at;           ///< when the link was free
  };
  /// The node's tail has left the link of its h-th hop at `time`. Appends those who came to the front there.
  void leave(std::uint32_t node, std::uint32_t h, double time, std::vector<Handover>& out);

 private:
  struct Queue {
    std::uint32_t first = 0, count = 0;  ///< into entries_
    std::uint32_t front = 0, group = 0;  ///< front group: entries front .. front+group
    std::uint32_t left = 0;              ///< of the front group that still hold the link
    double free = 0;
  };
  struct Entry {
    std::uint32_t node = 0;
    Tick before = 0;
  };
  std::uint32_t group_at(const Queue& q, std::uint32_t from) const;
  bool in_front(const Queue& q, std::uint32_t node) const;

  const Graph& graph_;
  std::vector<std::uint32_t> queue_of_hop_;
  std::vector<Queue> queues_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> blocked_;
};

}  // namespace weft::simulate
