// A fabric joins the ends of one component: how its nodes and links are laid out, and which way a message takes.
//
// Two layers. A Fabric is what the machine file says (kind, shape, link classes), read once; a FabricInstance is one
// occurrence in the graph (128 nodes share one Fabric). Links of an instance are numbered by the fabric's own formula from
// `first_link`, so that a route costs arithmetic and no table.
//
// An *end* is what the fabric joins: a leaf; a NIC that `share` neighbouring leaves have; or the hub of a child component.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/node.hpp"
#include "weft/machine/machine.hpp"

namespace weft::machine {

/// The graph under construction.
struct Graph {
  std::vector<Link> links;
  std::vector<LinkClass> classes;
  NodeId nodes = 0;
  NodeId node() { return nodes++; }
  LinkId link(NodeId from, NodeId to, ClassId cls) {
    links.push_back({from, to, cls});
    return static_cast<LinkId>(links.size() - 1);
  }
};

struct FabricInstance {
  std::uint32_t ends = 0;
  NodeId first_node = 0;  ///< nodes that the fabric adds: first_node .. first_node + Fabric::own_nodes(ends) - 1
  LinkId first_link = 0;
};

/// What a fabric's reader may use.
struct FabricInput {
  ObjectReader& reader;
  std::vector<LinkClass>& classes;  ///< link classes of the machine; add_class appends
  std::vector<SourcedFigure>& figures;
  std::string name;
  /// Reads the link class under `key` (required); `fallback` names it where it has no name of its own.
  ClassId link_class(ObjectReader& from, std::string_view key, std::string fallback);
};

class Fabric {
 public:
  virtual ~Fabric() = default;
  /// Number of ends it must have by its shape; 0: any.
  virtual std::uint64_t wanted_ends() const { return 0; }
  /// `--shape`; false where the kind has no shape of its own.
  virtual bool reshape(std::span<const std::int64_t>) { return false; }
  /// Called once, before any instance is built, with the number of ends of each; may throw an input Error without a place.
  virtual void prepare(std::uint32_t) {}
  virtual std::uint32_t own_nodes(std::uint32_t ends) const = 0;
  /// Adds links between `ends` and the nodes first_node ..; may throw an input Error (without a place).
  virtual void build(Graph& graph, std::span<const NodeId> ends, const FabricInstance& self) const = 0;
  /// Appends the links from end a to end b (a != b).
  virtual bool route(const FabricInstance& self, std::uint32_t a, std::uint32_t b, std::vector<LinkId>& out) const = 0;
  /// Over the circuit of this name only; false where there is none between the two.
  virtual bool circuit(const FabricInstance&, std::string_view, std::uint32_t, std::uint32_t,
                       std::vector<LinkId>&) const {
    return false;
  }
  virtual std::vector<std::string> circuits() const { return {}; }
  /// The node that stands for the whole component in a fabric above it, with the ways there; kNone where there is none.
  virtual NodeId hub(const FabricInstance&) const { return kNone; }
  virtual void up(const FabricInstance&, std::uint32_t, std::vector<LinkId>&) const {}
  virtual void down(const FabricInstance&, std::uint32_t, std::vector<LinkId>&) const {}
  /// "[3]" or "[1][4]": how the i-th end is shown.
  virtual std::string end_name(std::uint32_t i) const { return "[" + std::to_string(i) + "]"; }
  /// How the i-th node of its own is shown.
  virtual std::string node_name(std::uint32_t i) const = 0;
  virtual double bisection(std::uint32_t ends, std::span<const LinkClass> classes) const = 0;
  virtual int diameter(std::uint32_t ends) const = 0;
  /// Rotations of the ends that its structure is made for: image of each end. Checked before use.
  virtual std::vector<std::vector<std::uint32_t>> rotations(std::uint32_t ends) const;
  /// May two equal ends change places?
  virtual bool exchangeable() const { return false; }
  /// May a message pass through an end on its way to another (where a link has failed, or in fabrics without a hub)?
  virtual bool relays() const { return false; }
  /// Which end the i-th own node belongs to, so that a symmetry carries it along; kNone: it stays (a hub).
  virtual std::uint32_t owner(std::uint32_t) const { return kNone; }
};

struct FabricKind {
  std::function<std::unique_ptr<Fabric>(FabricInput&)> make;
  bool shaped = false;  ///< has a `shape`, so a child's count may be left out
};

/// One cyclic step: i -> (i + 1) mod n.
std::vector<std::uint32_t> rotate_by_one(std::uint32_t n);

}  // namespace weft::machine
