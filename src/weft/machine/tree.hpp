// The machine built from a tree of components (private to machine/; everybody else sees Machine).
//
// Component instances are numbered in tree order, parents first; only inner components are instances. A route climbs to
// the lowest component that holds both sites and uses the first of its fabrics that joins them.
#pragma once
#include <absl/container/flat_hash_map.h>

#include "weft/machine/spec.hpp"

namespace weft::machine {

struct ComponentInstance {
  const ComponentSpec* spec = nullptr;
  std::uint32_t parent = kNone;
  std::uint32_t index = 0;  ///< among its parent's children
  std::uint32_t depth = 0;
  SiteId first_site = 0;
  std::uint32_t sites = 0;
  NodeId first_node = 0;  ///< own nodes and those of all components below it
  std::uint32_t nodes = 0;
  std::uint32_t first_fabric = 0;  ///< into TreeMachine::fabrics_, as many as the spec has
};

struct FabricUse {
  const FabricSpec* spec = nullptr;
  FabricInstance self;
  NodeId first_nic = 0;
  LinkId first_nic_link = 0;  ///< of leaf i below the component: up 2 i, down 2 i + 1
};

class TreeMachine final : public Machine {
 public:
  explicit TreeMachine(MachineSpec spec) : spec_(std::move(spec)) {}

  bool route(SiteId src, SiteId dst, std::string_view via, std::vector<LinkId>& out) const override;
  std::string_view fabric_between(SiteId src, SiteId dst) const override;
  std::string site_name(SiteId site) const override;
  std::string node_name(NodeId node) const override;
  KernelCost kernel_cost(SiteId site, const Kernel& kernel, const KernelScale& scale) const override;
  FlopsPerSecond peak(SiteId site, DType type) const override;
  Seconds barrier_time(std::uint32_t sites) const override;
  Seconds launch_time() const override { return spec_.launch; }
  Seconds reconfigure_time() const override { return spec_.reconfiguration; }
  bool overlaps() const override { return spec_.overlap; }
  std::optional<int> colours() const override { return spec_.colours; }
  std::string_view about() const override { return spec_.about; }
  BytesPerSecond bisection() const override;
  int diameter_hops() const override;

 private:
  friend class TreeBuilder;
  friend class SymmetryFinder;

  std::uint32_t common(SiteId a, SiteId b) const;
  std::uint32_t child_of(std::uint32_t component, SiteId site) const;
  std::uint32_t end_of(const ComponentInstance& c, const FabricUse& f, SiteId site) const;
  bool over(const ComponentInstance& c, const FabricUse& f, SiteId src, SiteId dst, std::string_view circuit,
            std::vector<LinkId>& out) const;
  void climb(const ComponentInstance& top, SiteId site, bool up, std::vector<LinkId>& out) const;
  bool raw_route(SiteId src, SiteId dst, std::string_view via, std::vector<LinkId>& out) const;
  bool round_failures(SiteId src, SiteId dst, std::string_view via, std::vector<LinkId>& out) const;
  std::string child_name(const ComponentInstance& c, std::uint32_t index) const;
  std::string path(std::uint32_t component) const;

  MachineSpec spec_;
  std::vector<ComponentInstance> components_;
  std::vector<FabricUse> fabrics_;
  std::vector<std::uint32_t> parent_of_;    ///< component of each site
  std::vector<std::uint32_t> child_index_;  ///< of each site in its component; empty: site - first_site
  std::vector<const LeafSpec*> leaves_;     ///< by site class
  // Where links have failed: what each link as built became (kNone: failed), links out of each node, the fabric of each.
  std::vector<LinkId> renumbered_;
  std::vector<std::uint32_t> out_start_;
  std::vector<LinkId> out_link_;
  std::vector<std::uint32_t> fabric_of_;
};

/// Fills symmetries (symmetry.cpp).
class SymmetryFinder {
 public:
  explicit SymmetryFinder(TreeMachine& machine) : m_(machine) {}
  void find();

 private:
  using Image = std::vector<std::uint32_t>;
  void level(const ComponentSpec& spec);
  void exchanges(const ComponentSpec& spec, std::uint32_t k, bool each);
  bool try_children(const ComponentSpec& spec, const Image& image, std::uint32_t only);
  Image candidate(const ComponentSpec& spec, const Image& image, std::uint32_t only) const;
  void move_children(const ComponentInstance& c, const Image& image, Image& nodes) const;
  bool links(const Image& nodes, std::vector<LinkId>& image);
  void sort_links();

  TreeMachine& m_;
  std::vector<LinkId> sorted_;
};

}  // namespace weft::machine
