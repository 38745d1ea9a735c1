// MachineSpec -> TreeMachine: places components, then joins them, then takes failed links out.
#include <algorithm>
#include <map>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"
#include "weft/machine/tree.hpp"

namespace weft::machine {
namespace {

constexpr std::uint64_t kMostLinks = 1U << 27U;

/// An Error without a place gets that of the fabric.
[[noreturn]] void at_node(const Error& e, const Node* node) {
  const Diagnostic& d = e.diagnostics().front();
  if (node == nullptr || d.where.line != 0 || e.kind() != ErrorKind::input) throw e;
  throw Error(node->diagnostic(d.message, d.hint));
}

}  // namespace

class TreeBuilder {
 public:
  explicit TreeBuilder(TreeMachine& machine) : m_(machine) {}
  void build();

 private:
  void place(const ComponentSpec& spec, std::uint32_t parent, std::uint32_t index);
  void place_leaf(const LeafSpec& leaf, std::uint32_t parent, std::uint32_t index);
  void place_fabrics(const ComponentSpec& spec, ComponentInstance& c);
  std::uint64_t ends_of(const ComponentSpec& spec, const FabricSpec& f, const ComponentInstance& c) const;
  void prepare(ComponentSpec& spec, std::int64_t copies);
  void count(const std::string& level, std::int64_t more);
  void join(std::uint32_t component);
  std::vector<NodeId> ends(const ComponentInstance& c, const FabricUse& f, Graph& graph) const;
  NodeId hub(std::uint32_t component) const;
  void fail();
  std::vector<std::pair<NodeId, NodeId>> failed_pairs() const;
  void adjacency();

  TreeMachine& m_;
  Graph graph_;
  std::vector<std::vector<std::uint32_t>> child_components_;
};

void TreeBuilder::build() {
  MachineSpec& spec = m_.spec_;
  if (spec.root->leaf)
    throw Error(spec.root->node->diagnostic("a machine of one leaf", "give it `children` and a `fabric`"));
  m_.name_ = spec.name;
  m_.clock_ = spec.clock;
  if (spec.clock) m_.ticks_ = TickClock{spec.clock->value() * spec.ticks_per_cycle};
  m_.sites_ = static_cast<std::uint32_t>(leaves(*spec.root));
  m_.parent_of_.reserve(m_.sites_);
  m_.site_class_of_.reserve(m_.sites_);
  graph_.nodes = m_.sites_;
  if (spec.root->level) count(spec.root->name, 1);
  prepare(*spec.root, 1);
  place(*spec.root, kNone, 0);
  graph_.classes = spec.classes;
  for (std::uint32_t c = 0; c < m_.components_.size(); ++c) join(c);
  m_.nodes_ = graph_.nodes;
  m_.links_ = std::move(graph_.links);
  m_.link_classes_ = std::move(graph_.classes);
  m_.transports_ = spec.transports;
  m_.figures_ = spec.figures;
  if (!spec.failed.empty()) fail();
  SymmetryFinder(m_).find();
}

std::uint64_t TreeBuilder::ends_of(const ComponentSpec& spec, const FabricSpec& f, const ComponentInstance& c) const {
  if (f.ends == Ends::leaves) return c.sites;
  if (f.ends == Ends::hubs) return children(spec);
  return (c.sites + f.share - 1) / f.share;
}

// Checks shapes and tells each fabric its number of ends; parents first. A level's count is that of the whole machine.
void TreeBuilder::count(const std::string& level, std::int64_t more) {
  const auto same = [&](const Level& l) { return l.name == level; };
  const auto at = std::find_if(m_.levels_.begin(), m_.levels_.end(), same);
  at == m_.levels_.end() ? m_.levels_.push_back({level, more}) : (void)(at->count += more);
}

void TreeBuilder::prepare(ComponentSpec& spec, std::int64_t copies) {
  ComponentInstance sizes;
  sizes.sites = static_cast<std::uint32_t>(leaves(spec));
  for (FabricSpec& f : spec.fabrics) {
    const std::uint64_t n = ends_of(spec, f, sizes), wanted = f.fabric->wanted_ends();
    if (wanted != 0 && wanted != n) {
      throw Error(f.node->diagnostic(
          "fabric '" + f.name + "' has a shape of " + std::to_string(wanted) + " ends but joins " + std::to_string(n),
          "counts and shape must agree"));
    }
    if (f.ends == Ends::nics && sizes.sites % f.share != 0) {
      throw Error(f.node->diagnostic(
          std::to_string(sizes.sites) + " leaves cannot share NICs in groups of " + std::to_string(f.share),
          "a number that divides them"));
    }
    try {
      f.fabric->prepare(static_cast<std::uint32_t>(n));
    } catch (const Error& e) {
      at_node(e, f.node);
    }
  }
  for (ChildSpec& child : spec.children) {
    const std::int64_t all = copies * static_cast<std::int64_t>(child_count(spec, child));
    count(child.component->name, all);
    if (!child.component->leaf) prepare(*child.component, all);
  }
}

void TreeBuilder::place_fabrics(const ComponentSpec& spec, ComponentInstance& c) {
  c.first_fabric = static_cast<std::uint32_t>(m_.fabrics_.size());
  for (const FabricSpec& f : spec.fabrics) {
    FabricUse use;
    use.spec = &f;
    use.self.ends = static_cast<std::uint32_t>(ends_of(spec, f, c));
    use.self.first_node = graph_.nodes;
    graph_.nodes += f.fabric->own_nodes(use.self.ends);
    use.first_nic = graph_.nodes;
    if (f.ends == Ends::nics) graph_.nodes += use.self.ends;
    m_.fabrics_.push_back(use);
  }
}

void TreeBuilder::place_leaf(const LeafSpec& leaf, std::uint32_t parent, std::uint32_t index) {
  auto cls = std::find(m_.leaves_.begin(), m_.leaves_.end(), &leaf);
  if (cls == m_.leaves_.end()) {
    m_.leaves_.push_back(&leaf);
    m_.site_classes_.push_back(leaf.cls);
    cls = m_.leaves_.end() - 1;
  }
  m_.site_class_of_.push_back(static_cast<ClassId>(cls - m_.leaves_.begin()));
  const auto site = static_cast<SiteId>(m_.parent_of_.size());
  if (m_.child_index_.empty() && index != site - m_.components_[parent].first_site) {
    for (SiteId s = 0; s < site; ++s) m_.child_index_.push_back(s - m_.components_[m_.parent_of_[s]].first_site);
  }
  if (!m_.child_index_.empty()) m_.child_index_.push_back(index);
  m_.parent_of_.push_back(parent);
}

void TreeBuilder::place(const ComponentSpec& spec, std::uint32_t parent, std::uint32_t index) {
  const auto id = static_cast<std::uint32_t>(m_.components_.size());
  ComponentInstance c;
  c.spec = &spec;
  c.parent = parent;
  c.index = index;
  c.depth = parent == kNone ? 0 : m_.components_[parent].depth + 1;
  c.first_site = static_cast<SiteId>(m_.parent_of_.size());
  c.sites = static_cast<std::uint32_t>(leaves(spec));
  c.first_node = graph_.nodes;
  place_fabrics(spec, c);
  m_.components_.push_back(c);
  child_components_.emplace_back();
  std::uint32_t at = 0;
  for (const ChildSpec& child : spec.children) {
    const auto count = static_cast<std::uint32_t>(child_count(spec, child));
    for (std::uint32_t i = 0; i < count; ++i, ++at) {
      if (child.component->leaf) {
        place_leaf(*child.component->leaf, id, at);
      } else {
        child_components_[id].push_back(static_cast<std::uint32_t>(m_.components_.size()));
        place(*child.component, id, at);
      }
    }
  }
  m_.components_[id].nodes = graph_.nodes - m_.components_[id].first_node;
}

NodeId TreeBuilder::hub(std::uint32_t component) const {
  const ComponentInstance& c = m_.components_[component];
  const FabricUse& f = m_.fabrics_[c.first_fabric];
  return f.spec->fabric->hub(f.self);
}

std::vector<NodeId> TreeBuilder::ends(const ComponentInstance& c, const FabricUse& f, Graph& graph) const {
  std::vector<NodeId> nodes;
  if (f.spec->ends == Ends::leaves) {
    for (std::uint32_t i = 0; i < c.sites; ++i) nodes.push_back(c.first_site + i);
  } else if (f.spec->ends == Ends::nics) {
    for (std::uint32_t i = 0; i < c.sites; ++i) {
      const NodeId nic = f.first_nic + i / f.spec->share;
      graph.link(c.first_site + i, nic, f.spec->nic_link);
      graph.link(nic, c.first_site + i, f.spec->nic_link);
    }
    for (std::uint32_t i = 0; i < f.self.ends; ++i) nodes.push_back(f.first_nic + i);
  } else {
    const auto id = static_cast<std::size_t>(&c - m_.components_.data());
    std::size_t inner = 0;
    for (SiteId site = c.first_site; site < c.first_site + c.sites;) {
      if (m_.parent_of_[site] == id) {
        nodes.push_back(site++);
        continue;
      }
      const std::uint32_t child = child_components_[id][inner++];
      nodes.push_back(hub(child));
      if (nodes.back() == kNone) {
        throw input_error("`ends: hubs` joins components that have no hub ('" + m_.components_[child].spec->name + "')",
                          {}, "their fabric must be a switch or an exchange");
      }
      site = m_.components_[child].first_site + m_.components_[child].sites;
    }
  }
  return nodes;
}

void TreeBuilder::join(std::uint32_t component) {
  const ComponentInstance& c = m_.components_[component];
  for (std::size_t i = 0; i < c.spec->fabrics.size(); ++i) {
    FabricUse& f = m_.fabrics_[c.first_fabric + i];
    try {
      f.first_nic_link = static_cast<LinkId>(graph_.links.size());
      const std::vector<NodeId> nodes = ends(c, f, graph_);
      f.self.first_link = static_cast<LinkId>(graph_.links.size());
      f.spec->fabric->build(graph_, nodes, f.self);
    } catch (const Error& e) {
      at_node(e, f.spec->node);
    }
    if (graph_.links.size() > kMostLinks) throw Error(f.spec->node->diagnostic("more than 134 million links"));
  }
}

// "a -> b" is one link, "a -- b" both ways.
std::vector<std::pair<NodeId, NodeId>> TreeBuilder::failed_pairs() const {
  std::map<std::string, NodeId> places;
  std::vector<std::array<std::string, 3>> wanted;
  for (std::size_t i = 0; i < m_.spec_.failed.size(); ++i) {
    const std::string& text = m_.spec_.failed[i];
    const std::size_t one = text.find(" -> "), both = text.find(" -- ");
    const std::size_t at = std::min(one, both);
    if (at == std::string::npos) {
      throw Error(m_.spec_.failed_node->items()[i].diagnostic("'" + text + "' is no link",
                                                              "\"gpu[2] -> nvswitch\", or \"--\" for both ways"));
    }
    wanted.push_back({text.substr(0, at), text.substr(at + 4), text.substr(at + 1, 2)});
    places.emplace(wanted.back()[0], kNone);
    places.emplace(wanted.back()[1], kNone);
  }
  std::vector<std::string> some;
  for (NodeId v = 0; v < m_.nodes_; ++v) {
    const std::string text = m_.node_name(v);
    const auto found = places.find(text);
    if (found != places.end()) found->second = v;
    if (some.size() < 2000) some.push_back(text);
  }
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (int side = 0; side < 2; ++side) {
      const std::string& place = wanted[i][static_cast<std::size_t>(side)];
      if (places[place] == kNone) {
        throw Error(m_.spec_.failed_node->items()[i].diagnostic("no place '" + place + "' in this machine",
                                                                did_you_mean(place, some, 8)));
      }
    }
    pairs.emplace_back(places[wanted[i][0]], places[wanted[i][1]]);
    if (wanted[i][2] == "--") pairs.emplace_back(pairs.back().second, pairs.back().first);
  }
  return pairs;
}

void TreeBuilder::fail() {
  const auto pairs = failed_pairs();
  std::map<std::pair<NodeId, NodeId>, int> dead;
  for (const auto& pair : pairs) dead.emplace(pair, 0);
  m_.renumbered_.resize(m_.links_.size());
  std::vector<std::uint32_t> owner(m_.links_.size());
  for (std::uint32_t f = 0; f < m_.fabrics_.size(); ++f) {
    const LinkId end =
        f + 1 < m_.fabrics_.size() ? m_.fabrics_[f + 1].first_nic_link : static_cast<LinkId>(m_.links_.size());
    for (LinkId l = m_.fabrics_[f].first_nic_link; l < end; ++l) owner[l] = f;
  }
  std::vector<Link> alive;
  for (LinkId l = 0; l < m_.links_.size(); ++l) {
    const auto found = dead.find({m_.links_[l].from, m_.links_[l].to});
    m_.renumbered_[l] = found == dead.end() ? static_cast<LinkId>(alive.size()) : kNone;
    if (found != dead.end()) {
      ++found->second;
      continue;
    }
    alive.push_back(m_.links_[l]);
    m_.fabric_of_.push_back(owner[l]);
  }
  for (const auto& [pair, count] : dead) {
    if (count == 0) {
      throw Error(m_.spec_.failed_node->diagnostic(
          "there is no link '" + m_.node_name(pair.first) + " -> " + m_.node_name(pair.second) + "'",
          "name two places that a link joins"));
    }
  }
  m_.links_ = std::move(alive);
  adjacency();
}

void TreeBuilder::adjacency() {
  m_.out_start_.assign(m_.nodes_ + 1, 0);
  for (const Link& link : m_.links_) ++m_.out_start_[link.from + 1];
  for (NodeId v = 0; v < m_.nodes_; ++v) m_.out_start_[v + 1] += m_.out_start_[v];
  m_.out_link_.resize(m_.links_.size());
  std::vector<std::uint32_t> next(m_.out_start_.begin(), m_.out_start_.end() - 1);
  for (LinkId l = 0; l < m_.links_.size(); ++l) m_.out_link_[next[m_.links_[l].from]++] = l;
}

std::shared_ptr<const Machine> build_machine(MachineSpec spec) {
  auto machine = std::make_shared<TreeMachine>(std::move(spec));
  TreeBuilder(*machine).build();
  return machine;
}

}  // namespace weft::machine
