// Grids: ring, mesh and torus. Ends stand on a box of extents e[0] x e[1] x .., the last index fastest. A message corrects
// the last index first, then the one before (X, then Y), each the shorter way round where the dimension wraps (ties:
// upwards). A wrapped dimension of extent 2 or less has no second link.
//
// With ramps, an end and its router are two nodes, joined by a link of class `ramp-up` (end to router) and one of class
// `ramp-down`; else the end is its own router.
//
// Links: ramps first (up, down by end), then those between routers, node by node, in the order
// last dimension up, last dimension down, the dimension before up, down, ..
#pragma once
#include "weft/machine/fabric.hpp"

namespace weft::machine {

class Grid final : public Fabric {
 public:
  enum class Wrap : std::uint8_t { none, all };
  /// `flat`: a ring, whose one extent is the number of its ends.
  Grid(FabricInput& input, Wrap wrap, bool flat);

  std::uint64_t wanted_ends() const override;
  void prepare(std::uint32_t ends) override { extents_ = extents(ends); }
  bool reshape(std::span<const std::int64_t> shape) override;
  std::uint32_t own_nodes(std::uint32_t ends) const override { return ramps_ ? ends : 0; }
  void build(Graph& graph, std::span<const NodeId> ends, const FabricInstance& self) const override;
  bool route(const FabricInstance& self, std::uint32_t a, std::uint32_t b, std::vector<LinkId>& out) const override;
  std::string end_name(std::uint32_t i) const override;
  std::string node_name(std::uint32_t i) const override { return "router" + end_name(i); }
  double bisection(std::uint32_t ends, std::span<const LinkClass> classes) const override;
  int diameter(std::uint32_t ends) const override;
  std::vector<std::vector<std::uint32_t>> rotations(std::uint32_t ends) const override;
  bool relays() const override { return true; }
  std::uint32_t owner(std::uint32_t i) const override { return i; }

 private:
  struct Extents {
    std::vector<std::uint32_t> size, stride;  ///< by dimension
  };
  Extents extents(std::uint32_t ends) const;
  bool wraps(std::uint32_t size) const { return wrap_ == Wrap::all && size > 2; }
  /// Links between routers that leave the nodes before the one at `at` (flat index i).
  LinkId links_before(const Extents& e, std::uint32_t i) const;
  bool has(const Extents& e, std::size_t d, std::uint32_t x, bool forward) const {
    return wraps(e.size[d]) || (forward ? x + 1 < e.size[d] : x > 0);
  }

  Wrap wrap_;
  bool flat_, ramps_ = false;
  std::vector<std::uint32_t> shape_;
  Extents extents_;  ///< of every instance, once prepared
  ClassId link_ = 0, up_ = 0, down_ = 0;
};

}  // namespace weft::machine
