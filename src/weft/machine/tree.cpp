// Routes, names and costs of the built machine.
#include "weft/machine/tree.hpp"

#include <algorithm>
#include <bit>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"

namespace weft::machine {

std::uint32_t TreeMachine::common(SiteId a, SiteId b) const {
  std::uint32_t x = parent_of_[a], y = parent_of_[b];
  while (x != y) {
    const std::uint32_t dx = components_[x].depth, dy = components_[y].depth;
    if (dx >= dy) x = components_[x].parent;
    if (dy >= dx) y = components_[y].parent;
  }
  return x;
}

std::uint32_t TreeMachine::child_of(std::uint32_t component, SiteId site) const {
  std::uint32_t c = parent_of_[site];
  if (c == component) return child_index_.empty() ? site - components_[c].first_site : child_index_[site];
  while (components_[c].parent != component) c = components_[c].parent;
  return components_[c].index;
}

std::uint32_t TreeMachine::end_of(const ComponentInstance& c, const FabricUse& f, SiteId site) const {
  if (f.spec->ends == Ends::leaves) return site - c.first_site;
  if (f.spec->ends == Ends::nics) return (site - c.first_site) / f.spec->share;
  return child_of(static_cast<std::uint32_t>(&c - components_.data()), site);
}

// Links between a site and the hub of the component `below` which is the child of `top` that holds it.
void TreeMachine::climb(const ComponentInstance& top, SiteId site, bool up, std::vector<LinkId>& out) const {
  std::uint32_t chain[20];
  std::size_t n = 0;
  for (std::uint32_t c = parent_of_[site]; &components_[c] != &top; c = components_[c].parent) chain[n++] = c;
  for (std::size_t i = 0; i < n; ++i) {
    const ComponentInstance& c = components_[chain[up ? i : n - 1 - i]];
    const FabricUse& f = fabrics_[c.first_fabric];
    const std::uint32_t end = end_of(c, f, site);
    const bool nic = f.spec->ends == Ends::nics;
    if (up && nic) out.push_back(f.first_nic_link + 2 * (site - c.first_site));
    up ? f.spec->fabric->up(f.self, end, out) : f.spec->fabric->down(f.self, end, out);
    if (!up && nic) out.push_back(f.first_nic_link + 2 * (site - c.first_site) + 1);
  }
}

bool TreeMachine::over(const ComponentInstance& c, const FabricUse& f, SiteId src, SiteId dst, std::string_view circuit,
                       std::vector<LinkId>& out) const {
  const std::uint32_t a = end_of(c, f, src), b = end_of(c, f, dst);
  if (a == b) return false;
  const std::size_t before = out.size();
  if (f.spec->ends == Ends::nics) out.push_back(f.first_nic_link + 2 * (src - c.first_site));
  if (f.spec->ends == Ends::hubs) climb(c, src, true, out);
  const bool found =
      circuit.empty() ? f.spec->fabric->route(f.self, a, b, out) : f.spec->fabric->circuit(f.self, circuit, a, b, out);
  if (!found) {
    out.resize(before);
    return false;
  }
  if (f.spec->ends == Ends::hubs) climb(c, dst, false, out);
  if (f.spec->ends == Ends::nics) out.push_back(f.first_nic_link + 2 * (dst - c.first_site) + 1);
  return true;
}

bool TreeMachine::raw_route(SiteId src, SiteId dst, std::string_view via, std::vector<LinkId>& out) const {
  const std::size_t colon = via.find(':');
  const std::string_view fabric = via.substr(0, colon);
  const std::string_view circuit = colon == std::string_view::npos ? std::string_view{} : via.substr(colon + 1);
  for (std::uint32_t at = common(src, dst); at != kNone; at = components_[at].parent) {
    const ComponentInstance& c = components_[at];
    for (std::size_t i = 0; i < c.spec->fabrics.size(); ++i) {
      const FabricUse& f = fabrics_[c.first_fabric + i];
      if (!fabric.empty() && f.spec->name != fabric) continue;
      if (over(c, f, src, dst, circuit, out)) return true;
    }
  }
  return false;
}

bool TreeMachine::route(SiteId src, SiteId dst, std::string_view via, std::vector<LinkId>& out) const {
  out.clear();
  if (src == dst) return true;
  const bool found = raw_route(src, dst, via, out);
  if (renumbered_.empty()) return found;
  bool whole = found;
  for (LinkId& link : out) {
    link = renumbered_[link];
    whole = whole && link != kNone;
  }
  return whole || round_failures(src, dst, via, out);
}

// Fewest links first, ties by link number; through ends only where their fabric lets them relay. Never over circuits.
bool TreeMachine::round_failures(SiteId src, SiteId dst, std::string_view via, std::vector<LinkId>& out) const {
  out.clear();
  if (via.find(':') != std::string_view::npos) return false;
  std::vector<LinkId> by(nodes_, kNone);
  std::vector<NodeId> queue{src};
  for (std::size_t head = 0; head < queue.size() && by[dst] == kNone; ++head) {
    const NodeId v = queue[head];
    for (std::uint32_t i = out_start_[v]; i < out_start_[v + 1]; ++i) {
      const LinkId link = out_link_[i];
      const FabricUse& f = fabrics_[fabric_of_[link]];
      const NodeId to = links_[link].to;
      if (to == src || by[to] != kNone || link_classes_[links_[link].cls].circuit) continue;
      if (v != src && v < sites_ && !f.spec->fabric->relays()) continue;
      if (!via.empty() && f.spec->name != via) continue;
      by[to] = link;
      queue.push_back(to);
    }
  }
  if (by[dst] == kNone) return false;
  for (NodeId v = dst; v != src; v = links_[by[v]].from) out.push_back(by[v]);
  std::reverse(out.begin(), out.end());
  return true;
}

std::string_view TreeMachine::fabric_between(SiteId src, SiteId dst) const {
  std::vector<LinkId> links;
  for (std::uint32_t at = common(src, dst); at != kNone; at = components_[at].parent) {
    const ComponentInstance& c = components_[at];
    for (std::size_t i = 0; i < c.spec->fabrics.size(); ++i) {
      const FabricUse& f = fabrics_[c.first_fabric + i];
      links.clear();
      if (src != dst && !over(c, f, src, dst, {}, links)) continue;
      return f.spec->name;
    }
  }
  return {};
}

std::string TreeMachine::child_name(const ComponentInstance& c, std::uint32_t index) const {
  std::uint32_t before = 0;
  std::int64_t named = 0;
  for (const ChildSpec& child : c.spec->children) {
    const auto count = static_cast<std::uint32_t>(child_count(*c.spec, child));
    if (index < before + count) {
      const Fabric& f = *c.spec->fabrics.front().fabric;
      const bool shaped =
          c.spec->children.size() == 1 && c.spec->fabrics.front().ends != Ends::nics && f.wanted_ends() == count;
      if (shaped) return child.component->name + f.end_name(index);
      for (const ChildSpec& other : c.spec->children) {
        if (&other == &child) break;
        if (other.component->name == child.component->name)
          named += static_cast<std::int64_t>(child_count(*c.spec, other));
      }
      return child.component->name + "[" + std::to_string(named + index - before) + "]";
    }
    before += count;
  }
  return {};
}

std::string TreeMachine::path(std::uint32_t component) const {
  const ComponentInstance& c = components_[component];
  if (c.parent == kNone) return {};
  return path(c.parent) + child_name(components_[c.parent], c.index) + ".";
}

std::string TreeMachine::site_name(SiteId site) const {
  const std::uint32_t c = parent_of_[site];
  return path(c) + child_name(components_[c], child_of(c, site));
}

std::string TreeMachine::node_name(NodeId node) const {
  if (node < sites_) return site_name(node);
  auto f = std::upper_bound(fabrics_.begin(), fabrics_.end(), node,
                            [](NodeId n, const FabricUse& u) { return n < u.self.first_node; });
  --f;
  const auto which = static_cast<std::uint32_t>(f - fabrics_.begin());
  const auto c = std::upper_bound(components_.begin(), components_.end(), which,
                                  [](std::uint32_t w, const ComponentInstance& i) { return w < i.first_fabric; });
  const std::string where = path(static_cast<std::uint32_t>(c - components_.begin() - 1));
  if (node >= f->first_nic) return where + f->spec->name + "-nic[" + std::to_string(node - f->first_nic) + "]";
  return where + f->spec->fabric->node_name(node - f->self.first_node);
}

KernelCost TreeMachine::kernel_cost(SiteId site, const Kernel& kernel, const KernelScale& scale) const {
  const LeafSpec& leaf = *leaves_[site_class_of_[site]];
  const CostRequest request{kernel, work_of(kernel), leaf.figures, scale};
  auto model = leaf.models.find(kernel.op);
  if (model == leaf.models.end()) model = leaf.models.find("any");
  if (model == leaf.models.end()) {
    std::vector<std::string> names;
    for (const auto& [op, unused] : leaf.models) names.push_back(op);
    throw input_error("'" + leaf.cls.name + "' of machine '" + name_ + "' has no cost for kernel '" + kernel.op + "'",
                      {}, "add it, or `any`, under `kernels`; " + did_you_mean(kernel.op, names));
  }
  return model->second->cost(request);
}

FlopsPerSecond TreeMachine::peak(SiteId site, DType type) const {
  return FlopsPerSecond(leaves_[site_class_of_[site]]->figures.peak(type));
}

Seconds TreeMachine::barrier_time(std::uint32_t sites) const {
  const auto doublings = sites > 1 ? static_cast<double>(std::bit_width(sites - 1)) : 0.0;
  return spec_.barrier + spec_.barrier_per_doubling * doublings;
}

BytesPerSecond TreeMachine::bisection() const {
  const ComponentInstance& top = components_.front();
  double rate = 0;
  for (std::size_t i = 0; i < top.spec->fabrics.size(); ++i) {
    const FabricUse& f = fabrics_[top.first_fabric + i];
    rate += f.spec->fabric->bisection(f.self.ends, link_classes_);
  }
  return BytesPerSecond(rate);
}

int TreeMachine::diameter_hops() const {
  const ComponentInstance& top = components_.front();
  const FabricUse& f = fabrics_[top.first_fabric];
  int hops = f.spec->fabric->diameter(f.self.ends) + (f.spec->ends == Ends::nics ? 2 : 0);
  if (f.spec->ends != Ends::hubs) return hops;
  // To the hub of a child and back: half the way across it, each end, level by level.
  const ComponentSpec* c = top.spec;
  while (!c->children.front().component->leaf) {
    c = c->children.front().component.get();
    hops += c->fabrics.front().ends == Ends::nics ? 4 : 2;
  }
  return hops;
}

}  // namespace weft::machine
