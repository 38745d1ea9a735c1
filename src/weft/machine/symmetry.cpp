// Symmetries of the built graph. For each level a candidate permutation of sites and nodes is made from the tree's
// structure; it counts only if every link has an image of the same class, so what is returned is an automorphism whatever
// the fabrics are. Where links have failed the number of links between two nodes differs, and the candidate falls away.
#include <algorithm>
#include <numeric>

#include "weft/machine/tree.hpp"

namespace weft::machine {
namespace {

constexpr std::size_t kMostEntries = 32'000'000;  // of all symmetries together; more are not looked for

void specs_below(const ComponentSpec& spec, std::vector<const ComponentSpec*>& out) {
  out.push_back(&spec);
  for (const ChildSpec& child : spec.children) {
    if (!child.component->leaf) specs_below(*child.component, out);
  }
}

}  // namespace

void SymmetryFinder::find() {
  // Circuits go by name, so a program that uses them looks different from every site.
  if (std::any_of(m_.link_classes_.begin(), m_.link_classes_.end(), [](const LinkClass& c) { return c.circuit; }))
    return;
  std::vector<const ComponentSpec*> specs;
  specs_below(*m_.spec_.root, specs);
  for (const ComponentSpec* spec : specs) level(*spec);
}

void SymmetryFinder::level(const ComponentSpec& spec) {
  const auto k = static_cast<std::uint32_t>(children(spec));
  if (spec.children.size() != 1 || k < 2) return;
  const Fabric& fabric = *spec.fabrics.front().fabric;
  const bool by_child = fabric.wanted_ends() == k;
  const auto rotations =
      by_child || !fabric.exchangeable() ? fabric.rotations(k) : std::vector<Image>{rotate_by_one(k)};
  bool all = !rotations.empty(), some = false;
  for (const Image& image : rotations) {
    const bool by_one = try_children(spec, image, kNone);
    bool found = by_one;
    for (std::uint32_t step = 2; !found && !by_child && step <= k / 2; ++step) {  // NICs that children share
      if (k % step != 0) continue;
      Image further(k);
      for (std::uint32_t i = 0; i < k; ++i) further[i] = (i + step) % k;
      found = try_children(spec, further, kNone);
    }
    all = all && by_one;
    some = some || found;
  }
  if (all || !fabric.exchangeable()) return;
  exchanges(spec, k, !some);
}

// A failed or unequal link has broken the rotation: neighbours among the children that are still equal change places, in
// all instances at once where that holds, else (`each`) in each by itself.
void SymmetryFinder::exchanges(const ComponentSpec& spec, std::uint32_t k, bool each) {
  const std::size_t before = m_.symmetries_.size();
  const auto sweep = [&](std::uint32_t only) {
    std::vector<std::uint32_t> left(k);
    std::iota(left.begin(), left.end(), 0);
    while (left.size() > 1) {  // one class of equal children after another
      std::vector<std::uint32_t> others;
      std::uint32_t last = left.front();
      for (std::size_t i = 1; i < left.size(); ++i) {
        Image image(k);
        std::iota(image.begin(), image.end(), 0);
        std::swap(image[last], image[left[i]]);
        if (try_children(spec, image, only)) {
          last = left[i];
        } else {
          others.push_back(left[i]);
        }
      }
      left = std::move(others);
    }
  };
  sweep(kNone);
  if (m_.symmetries_.size() - before == k - 1 || !each) return;
  for (std::uint32_t c = 0; c < m_.components_.size(); ++c) {
    if (m_.components_[c].spec == &spec && m_.components_.size() > 1) sweep(c);
  }
}

bool SymmetryFinder::try_children(const ComponentSpec& spec, const Image& image, std::uint32_t only) {
  if ((m_.symmetries_.size() + 1) * (m_.sites_ + m_.links_.size()) > kMostEntries) return false;
  const Image nodes = candidate(spec, image, only);
  for (SiteId s = 0; s < m_.sites_; ++s) {
    if (m_.site_class_of_[s] != m_.site_class_of_[nodes[s]]) return false;
  }
  Symmetry symmetry;
  if (!links(nodes, symmetry.links)) return false;
  symmetry.level = spec.children.front().component->name;
  symmetry.sites.assign(nodes.begin(), nodes.begin() + m_.sites_);
  m_.symmetries_.push_back(std::move(symmetry));
  return true;
}

/// Image of every node when the children of each instance of `spec` (or of one) move as `image` says.
SymmetryFinder::Image SymmetryFinder::candidate(const ComponentSpec& spec, const Image& image,
                                                std::uint32_t only) const {
  Image nodes(m_.nodes_);
  std::iota(nodes.begin(), nodes.end(), 0);
  for (std::uint32_t c = 0; c < m_.components_.size(); ++c) {
    if (m_.components_[c].spec == &spec && (only == kNone || only == c)) move_children(m_.components_[c], image, nodes);
  }
  // Nodes that belong to an end (NICs, routers) follow their end.
  for (const ComponentInstance& c : m_.components_) {
    for (std::size_t i = 0; i < c.spec->fabrics.size(); ++i) {
      const FabricUse& f = m_.fabrics_[c.first_fabric + i];
      if (f.spec->ends == Ends::hubs) continue;
      const std::uint32_t share = f.spec->ends == Ends::nics ? f.spec->share : 1;
      const std::uint32_t own = f.spec->fabric->own_nodes(f.self.ends);
      for (std::uint32_t e = 0; e < f.self.ends; ++e) {
        const SiteId to = nodes[c.first_site + e * share];
        if (to < c.first_site || to >= c.first_site + c.sites) continue;  // moved with its whole component
        const std::uint32_t end = (to - c.first_site) / share;
        if (f.spec->ends == Ends::nics) nodes[f.first_nic + e] = f.first_nic + end;
        if (e < own && f.spec->fabric->owner(e) != kNone) nodes[f.self.first_node + e] = f.self.first_node + end;
      }
    }
  }
  return nodes;
}

void SymmetryFinder::move_children(const ComponentInstance& c, const Image& image, Image& nodes) const {
  const auto k = static_cast<std::uint32_t>(image.size());
  const std::uint32_t width = c.sites / k;
  for (std::uint32_t child = 0; child < k; ++child) {
    for (std::uint32_t i = 0; i < width; ++i)
      nodes[c.first_site + child * width + i] = c.first_site + image[child] * width + i;
  }
  std::vector<const ComponentInstance*> inner;
  for (std::size_t i = static_cast<std::size_t>(&c - m_.components_.data()) + 1; i < m_.components_.size(); ++i) {
    const ComponentInstance& d = m_.components_[i];
    if (d.depth <= c.depth) break;
    if (d.depth != c.depth + 1) continue;
    inner.push_back(&d);
  }
  if (inner.empty()) return;
  for (std::uint32_t child = 0; child < k; ++child) {
    for (std::uint32_t i = 0; i < inner[child]->nodes; ++i) {
      nodes[inner[child]->first_node + i] = inner[image[child]]->first_node + i;
    }
  }
}

void SymmetryFinder::sort_links() {
  sorted_.resize(m_.links_.size());
  std::iota(sorted_.begin(), sorted_.end(), 0);
  std::sort(sorted_.begin(), sorted_.end(), [&](LinkId a, LinkId b) {
    const Link &x = m_.links_[a], &y = m_.links_[b];
    return std::tie(x.from, x.to, x.cls, a) < std::tie(y.from, y.to, y.cls, b);
  });
}

/// Image of each link, parallel ones in order; false where one has none of its class.
bool SymmetryFinder::links(const Image& nodes, std::vector<LinkId>& image) {
  if (sorted_.empty()) sort_links();
  image.resize(m_.links_.size());
  std::size_t parallel = 0;
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    const Link& link = m_.links_[sorted_[i]];
    const Link wanted{nodes[link.from], nodes[link.to], link.cls};
    const auto same = [](const Link& a, const Link& b) { return a.from == b.from && a.to == b.to && a.cls == b.cls; };
    parallel = i > 0 && same(m_.links_[sorted_[i - 1]], link) ? parallel + 1 : 0;
    const auto at = std::lower_bound(sorted_.begin(), sorted_.end(), wanted, [&](LinkId l, const Link& w) {
      const Link& x = m_.links_[l];
      return std::tie(x.from, x.to, x.cls) < std::tie(w.from, w.to, w.cls);
    });
    const auto place = static_cast<std::size_t>(at - sorted_.begin()) + parallel;
    if (place >= sorted_.size() || !same(m_.links_[sorted_[place]], wanted)) return false;
    image[sorted_[i]] = sorted_[place];
  }
  return true;
}

}  // namespace weft::machine
