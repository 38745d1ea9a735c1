#include "weft/simulate/graph_edges.hpp"

#include <algorithm>
#include <memory>

namespace weft::simulate {
namespace {

using program::Edge;
using program::Expansion;
using program::Instance;
using program::InstanceEdge;
using program::MembersBySite;

class Connector {
 public:
  Connector(const Expansion& e, const machine::Machine& m, const Fold& f, Graph& g)
      : e_(e),
        f_(f),
        g_(g),
        sites_(m.sites()),
        any_(e.instances.size()),
        arriving_(e.instances.size()),
        join_(e.instances.size(), kNone) {}

  void run() {
    find_last_uses();
    const auto members = static_cast<std::uint32_t>(g_.nodes.size());
    for (std::uint32_t node = 0; node < members; ++node) {
      const std::uint32_t instance = g_.nodes[node].instance;
      for (const InstanceEdge& edge : e_.edges_of(e_.instances[instance])) connect_edge(node, edge);
      if (node + 1 == members || g_.nodes[node + 1].instance != instance) forget(instance);
    }
    store();
  }

 private:
  struct After {
    std::uint32_t on, node;
  };

  /// Tables of an instance by site are dropped after the last instance that refers to it.
  void find_last_uses() {
    last_use_.assign(e_.instances.size(), 0);
    for (std::uint32_t i = 0; i < e_.instances.size(); ++i) {
      for (const InstanceEdge& edge : e_.edges_of(e_.instances[i])) last_use_[edge.on] = i;
    }
    drop_.resize(e_.instances.size());
    for (std::uint32_t i = 0; i < e_.instances.size(); ++i) drop_[last_use_[i]].push_back(i);
  }
  void forget(std::uint32_t instance) {
    for (std::uint32_t i : drop_[instance]) {
      any_[i].reset();
      arriving_[i].reset();
    }
  }

  void connect_edge(std::uint32_t node, const InstanceEdge& edge) {
    const Instance& on = e_.instances[edge.on];
    if (edge.kind == Edge::Kind::after && edge.all) {
      after_.push_back({on.count == 1 ? f_.orbit[on.first] : join_of(edge.on), node});
      return;
    }
    bound_.clear();
    if (edge.all) {
      for (std::uint32_t k = 0; k < on.count; ++k) bound_.push_back(f_.orbit[on.first + k]);
    } else {
      bind(node, edge);
    }
    std::sort(bound_.begin(), bound_.end());
    bound_.erase(std::unique(bound_.begin(), bound_.end()), bound_.end());
    for (std::uint32_t from : bound_) {
      if (edge.kind == Edge::Kind::after) {
        after_.push_back({from, node});
      } else {
        streams_.push_back({from, node, edge.grain.value(), g_.nodes[from].bytes, edge.window});
      }
    }
  }

  void bind(std::uint32_t node, const InstanceEdge& edge) {
    const program::Member& member = e_.members[g_.nodes[node].member];
    if (edge.kind == Edge::Kind::streams) {
      const MembersBySite& table = cached(arriving_, edge.on, MembersBySite::End::destination);
      for (std::uint32_t a : table.at(member.src)) bound_.push_back(f_.orbit[a]);
      return;
    }
    const MembersBySite& table = cached(any_, edge.on, MembersBySite::End::any);
    touched_.clear();
    e_.sites_of(member, touched_);
    for (machine::SiteId s : touched_) {
      for (std::uint32_t a : table.at(s)) bound_.push_back(f_.orbit[a]);
    }
  }

  using Cache = std::vector<std::unique_ptr<MembersBySite>>;
  const MembersBySite& cached(Cache& cache, std::uint32_t instance, MembersBySite::End end) {
    if (!cache[instance]) cache[instance] = std::make_unique<MembersBySite>(e_, instance, sites_, end);
    return *cache[instance];
  }

  std::uint32_t join_of(std::uint32_t instance) {
    if (join_[instance] != kNone) return join_[instance];
    Node join;
    join.instance = instance;
    join_[instance] = static_cast<std::uint32_t>(g_.nodes.size());
    g_.nodes.push_back(join);
    g_.frames.emplace_back();
    g_.first_use.push_back(g_.first_use.back());
    g_.weight.push_back(1);
    g_.alone.push_back(0);
    g_.of.push_back(1);
    const Instance& on = e_.instances[instance];
    bound_.clear();
    for (std::uint32_t k = 0; k < on.count; ++k) bound_.push_back(f_.orbit[on.first + k]);
    std::sort(bound_.begin(), bound_.end());
    bound_.erase(std::unique(bound_.begin(), bound_.end()), bound_.end());
    for (std::uint32_t from : bound_) after_.push_back({from, join_[instance]});
    return join_[instance];
  }

  void store() {
    const std::size_t n = g_.nodes.size();
    g_.waits.assign(n, 0);
    g_.first_next.assign(n + 1, 0);
    for (const After& a : after_) {
      ++g_.waits[a.node];
      ++g_.first_next[a.on + 1];
    }
    for (std::size_t k = 0; k < n; ++k) g_.first_next[k + 1] += g_.first_next[k];
    g_.next.resize(after_.size());
    std::vector<std::uint32_t> at(g_.first_next.begin(), g_.first_next.end() - 1);
    for (const After& a : after_) g_.next[at[a.on]++] = a.node;
    store_streams(n);
  }

  void store_streams(std::size_t n) {
    std::stable_sort(streams_.begin(), streams_.end(), [](const Stream& a, const Stream& b) { return a.to < b.to; });
    g_.streams = std::move(streams_);
    g_.first_in.assign(n + 1, 0);
    g_.first_out.assign(n + 1, 0);
    for (const Stream& s : g_.streams) {
      ++g_.first_in[s.to + 1];
      ++g_.first_out[s.from + 1];
    }
    for (std::size_t k = 0; k < n; ++k) {
      g_.first_in[k + 1] += g_.first_in[k];
      g_.first_out[k + 1] += g_.first_out[k];
    }
    g_.out.resize(g_.streams.size());
    std::vector<std::uint32_t> at(g_.first_out.begin(), g_.first_out.end() - 1);
    for (std::uint32_t s = 0; s < g_.streams.size(); ++s) g_.out[at[g_.streams[s].from]++] = s;
  }

  const Expansion& e_;
  const Fold& f_;
  Graph& g_;
  std::uint32_t sites_;
  Cache any_, arriving_;
  std::vector<std::uint32_t> join_, last_use_, bound_;
  std::vector<std::vector<std::uint32_t>> drop_;
  std::vector<machine::SiteId> touched_;
  std::vector<After> after_;
  std::vector<Stream> streams_;
};

}  // namespace

void connect(const Expansion& expansion, const machine::Machine& machine, const Fold& fold, Graph& graph) {
  Connector(expansion, machine, fold, graph).run();
}

}  // namespace weft::simulate
