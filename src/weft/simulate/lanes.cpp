#include "weft/simulate/lanes.hpp"

#include <algorithm>
#include <tuple>

namespace weft::simulate {

Lanes::Lanes(const Graph& graph)
    : graph_(graph), queue_of_hop_(graph.hops.size(), kNone), blocked_(graph.nodes.size(), 0) {
  struct Use {
    std::uint32_t link;
    std::int32_t lane;
    std::uint32_t number, node, hop;
  };
  std::vector<Use> all;
  all.reserve(graph.hops.size());
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for (std::uint32_t h = 0; h < node.hops; ++h)
      all.push_back({graph.hops[node.first_hop + h].link, node.lane, node.instance, n, node.first_hop + h});
  }
  std::sort(all.begin(), all.end(), [](const Use& a, const Use& b) {
    return std::tie(a.link, a.lane, a.number, a.node) < std::tie(b.link, b.lane, b.number, b.node);
  });
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].link == all[first].link && all[last].lane == all[first].lane) ++last;
    if (all[first].number == all[last - 1].number) continue;
    Queue q;
    q.first = q.front = static_cast<std::uint32_t>(entries_.size());
    q.count = static_cast<std::uint32_t>(last - first);
    for (std::size_t k = first; k < last; ++k) {
      queue_of_hop_[all[k].hop] = static_cast<std::uint32_t>(queues_.size());
      entries_.push_back({all[k].node, graph.hops[all[k].hop].before});
    }
    q.group = q.left = group_at(q, q.front);
    for (std::uint32_t k = q.front + q.group; k < q.first + q.count; ++k) ++blocked_[entries_[k].node];
    queues_.push_back(q);
  }
}

std::uint32_t Lanes::group_at(const Queue& q, std::uint32_t from) const {
  std::uint32_t k = from;
  while (k < q.first + q.count && graph_.nodes[entries_[k].node].instance == graph_.nodes[entries_[from].node].instance)
    ++k;
  return k - from;
}

bool Lanes::in_front(const Queue& q, std::uint32_t node) const {
  return q.group != 0 && graph_.nodes[entries_[q.front].node].instance == graph_.nodes[node].instance;
}

Tick Lanes::first_wait(std::uint32_t node) const {
  const Node& n = graph_.nodes[node];
  for (std::uint32_t h = n.first_hop; h < n.first_hop + n.hops; ++h) {
    if (queue_of_hop_[h] != kNone && !in_front(queues_[queue_of_hop_[h]], node)) return graph_.hops[h].before;
  }
  return -1;
}

void Lanes::leave(std::uint32_t node, std::uint32_t h, double time, std::vector<Handover>& out) {
  const std::uint32_t id = queue_of_hop_[graph_.nodes[node].first_hop + h];
  if (id == kNone) return;
  Queue& q = queues_[id];
  q.free = std::max(q.free, time);
  if (--q.left != 0) return;
  q.front += q.group;
  q.group = q.left = q.front < q.first + q.count ? group_at(q, q.front) : 0;
  for (std::uint32_t k = q.front; k < q.front + q.group; ++k) {
    --blocked_[entries_[k].node];
    out.push_back({entries_[k].node, entries_[k].before, q.free});
  }
}

}  // namespace weft::simulate
