// What a machine file says, read and checked but not yet built: a tree of components as written (each once, with counts),
// classes and figures.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "weft/machine/cost.hpp"
#include "weft/machine/fabric.hpp"

namespace weft::machine {

/// What a fabric joins: leaves below the component, NICs that `share` neighbouring leaves have, or its children's hubs.
enum class Ends : std::uint8_t { leaves, nics, hubs };

struct FabricSpec {
  std::string name;
  std::unique_ptr<Fabric> fabric;
  bool shaped = false;
  Ends ends = Ends::leaves;
  std::uint32_t share = 1;
  ClassId nic_link = 0;
  const Node* node = nullptr;  ///< for messages; lives as long as the document
};

struct LeafSpec {
  SiteClass cls;
  SiteFigures figures;
  std::map<std::string, std::shared_ptr<const CostModel>, std::less<>> models;  ///< by operation; "any": the others
};

struct ComponentSpec;
struct ChildSpec {
  std::int64_t count = 0;  ///< 0: as many as the fabric's shape says
  std::unique_ptr<ComponentSpec> component;
  const Node* node = nullptr;
};

struct ComponentSpec {
  std::string name;
  std::vector<FabricSpec> fabrics;  ///< empty for a leaf
  std::vector<ChildSpec> children;
  std::unique_ptr<LeafSpec> leaf;
  const Node* node = nullptr;
  bool level = true;  ///< counted among the machine's levels; a cluster of copies is not
};

struct MachineSpec {
  std::string name, about;
  std::optional<Hertz> clock;
  double ticks_per_cycle = 1;
  Seconds launch{0}, barrier{0}, barrier_per_doubling{0}, reconfiguration{0};
  bool overlap = true;
  std::optional<int> colours;
  std::vector<LinkClass> classes;
  std::vector<Transport> transports;
  std::vector<SourcedFigure> figures;
  std::vector<std::string> failed;
  const Node* failed_node = nullptr;
  std::unique_ptr<ComponentSpec> root;
  std::unique_ptr<FabricSpec> scale_out;
};

/// Reads a document; `Node`s of the result point into it. Throws one Error with every fault found.
MachineSpec read_machine(const Document& document);

/// Joins `copies` of the machine by its scale-out fabric. Throws a usage Error where it names none.
void scale_out(MachineSpec& spec, std::int64_t copies);

/// `--shape`.
void reshape(MachineSpec& spec, const std::vector<std::int64_t>& shape);

/// Leaves under a component, children without a count included. Throws where shape and counts disagree, or past 2
/// million.
std::uint64_t leaves(const ComponentSpec& component);
/// As many children as `child` stands for in `parent`.
std::uint64_t child_count(const ComponentSpec& parent, const ChildSpec& child);
/// All children, counts multiplied out.
std::uint64_t children(const ComponentSpec& parent);

/// Applies `--set` words of the command line that are no path of the file: `TIER.bandwidth` and `TIER.capacity` (of the
/// whole machine), `FABRIC.bandwidth` and `FABRIC.latency` (of each link of that class), `colours`,
/// `circuit.reconfiguration`. False where `path` is none of them.
bool set_short(MachineSpec& spec, const std::string& path, const std::string& value);

/// The words that set_short knows on this machine, sorted.
std::vector<std::string> short_words(const MachineSpec& spec);

/// Builds the graph.
std::shared_ptr<const Machine> build_machine(MachineSpec spec);

}  // namespace weft::machine
