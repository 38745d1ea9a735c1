#include "weft/program/verify_chain.hpp"

namespace weft::program {

/// The member's node with its pointers; those of its ancestors are made first, the oldest first.
Chain::Node& Chain::known(InstanceId instance, std::uint32_t member) {
  way_.assign(1, {instance, member});
  while (!way_.empty()) {
    const auto [i, m] = way_.back();
    auto [it, fresh] = nodes_.try_emplace(m);
    if (fresh) {
      Node best;
      best.instance = i;
      InstanceId latest = 0;
      bool same = false;
      const SiteId site = place(e_.members[m]);
      for (const InstanceEdge& edge : e_.edges_of(e_.instances[i])) {
        if (edge.all || (best.parent != kNone && edge.on < latest)) continue;
        binding_.each(i, m, edge, [&](std::uint32_t p) {
          const Member& other = e_.members[p];
          if (other.src != site && other.dst != site) return;
          const bool alike = place(other) == site;
          if (best.parent != kNone && (edge.on < latest || (edge.on == latest && (same || !alike)))) return;
          best.parent = p;
          best.parent_after = edge.kind == Edge::Kind::after;
          latest = edge.on;
          same = alike;
        });
      }
      it->second = best;
      if (best.parent != kNone && !nodes_.contains(best.parent)) {
        way_.emplace_back(latest, best.parent);
        continue;
      }
    }
    way_.pop_back();
    Node& node = nodes_.find(m)->second;
    if (node.parent != kNone && node.jump == kNone) link(node, nodes_.find(node.parent)->second);
  }
  return nodes_.find(member)->second;
}

void Chain::link(Node& node, const Node& parent) {
  node.depth = parent.depth + 1;
  node.jump = node.parent;
  node.jump_after = node.parent_after;
  if (parent.jump == kNone) return;
  const Node& far = nodes_.find(parent.jump)->second;
  const std::uint32_t farther = far.jump == kNone ? far.depth : nodes_.find(far.jump)->second.depth;
  if (parent.depth - far.depth != far.depth - farther || far.jump == kNone) return;
  node.jump = far.jump;
  node.jump_after = node.parent_after || parent.jump_after || far.jump_after;
}

Chain::Reached Chain::earliest_after(InstanceId instance, std::uint32_t member, InstanceId floor) {
  const Node* at = &known(instance, member);
  Reached reached{instance, member, false};
  const auto go = [&](std::uint32_t to, bool after) {
    if (to == kNone) return false;
    const Node& next = nodes_.find(to)->second;
    if (next.instance <= floor) return false;
    at = &next;
    reached = {next.instance, to, reached.after || after};
    return true;
  };
  while (go(at->jump, at->jump_after) || go(at->parent, at->parent_after)) {
  }
  return reached;
}

}  // namespace weft::program
