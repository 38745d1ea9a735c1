#include "weft/simulate/cuts.hpp"

#include <algorithm>
#include <numeric>

namespace weft::simulate {

std::uint32_t Cuts::list_for(const Key& key) {
  const auto [it, fresh] = by_key_.try_emplace(key, static_cast<std::uint32_t>(lists_.size()));
  if (!fresh) return it->second;
  auto list = std::make_unique<List>();
  for (std::int64_t at = key.first; at < key.second; at += key.first) list->push_back({at, key.second});
  list->push_back({1, 1});
  lists_.push_back(std::move(list));
  return it->second;
}

std::uint32_t Cuts::union_of(std::vector<std::uint32_t> parts) {
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.size() == 1) return parts.front();
  const auto found = unions_.find(parts);
  if (found != unions_.end()) return found->second;
  auto list = std::make_unique<List>();
  for (std::uint32_t p : parts) list->insert(list->end(), lists_[p]->begin(), lists_[p]->end());
  std::sort(list->begin(), list->end());
  list->erase(std::unique(list->begin(), list->end()), list->end());
  lists_.push_back(std::move(list));
  const auto id = static_cast<std::uint32_t>(lists_.size() - 1);
  unions_.emplace(std::move(parts), id);
  return id;
}

const std::vector<std::uint32_t>* Cuts::map_between(std::uint32_t edge_list, std::uint32_t node_list) {
  if (edge_list == node_list) return nullptr;
  auto& slot = maps_[{edge_list, node_list}];
  if (!slot) {
    slot = std::make_unique<std::vector<std::uint32_t>>();
    std::size_t k = 0;
    for (const Fraction& f : *lists_[edge_list]) {
      while (!((*lists_[node_list])[k] == f)) ++k;
      slot->push_back(static_cast<std::uint32_t>(k + 1));
    }
  }
  return slot.get();
}

Cuts::Cuts(const Graph& graph)
    : node_list_(graph.nodes.size()),
      edge_grains_(graph.streams.size()),
      from_map_(graph.streams.size()),
      to_map_(graph.streams.size()) {
  const std::uint32_t whole = list_for({1, 1});
  std::vector<std::uint32_t> edge_list(graph.streams.size());
  for (std::size_t s = 0; s < graph.streams.size(); ++s) {
    const Stream& e = graph.streams[s];
    Key key{1, 1};
    if (e.grains() > 1) {
      const std::int64_t d = std::gcd(e.grain, e.bytes);
      key = {e.grain / d, e.bytes / d};
    }
    edge_list[s] = list_for(key);
    edge_grains_[s] = static_cast<std::uint32_t>(lists_[edge_list[s]]->size());
  }
  std::vector<std::uint32_t> parts;
  for (std::uint32_t n = 0; n < graph.nodes.size(); ++n) {
    parts.clear();
    for (std::uint32_t s = graph.first_in[n]; s < graph.first_in[n + 1]; ++s) parts.push_back(edge_list[s]);
    for (std::uint32_t s : graph.out_of(n)) parts.push_back(edge_list[s]);
    node_list_[n] = parts.empty() ? whole : union_of(parts);
  }
  for (std::uint32_t s = 0; s < graph.streams.size(); ++s) {
    from_map_[s] = map_between(edge_list[s], node_list_[graph.streams[s].from]);
    to_map_[s] = map_between(edge_list[s], node_list_[graph.streams[s].to]);
  }
}

}  // namespace weft::simulate
