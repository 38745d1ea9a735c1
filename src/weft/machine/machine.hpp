// The machine: what a Program costs.
//
// A machine file describes a tree of components: an inner component joins its children by a fabric, a leaf computes and
// holds memory tiers. Reading it gives this flat graph, which is all that anything above machine/ sees:
//
//   sites     leaves that compute, ids 0 .. sites-1, in tree order (the first child's leaves first)
//   switches  hubs, routers, NICs: node ids sites .. nodes-1
//   links     directed, each with a class that holds its figures once
//
// Units: bandwidth in payload bytes per second and direction; latency of a link is first bit in to first bit out, without
// the frame's own time. A message of b bytes over a route takes (service time of b on the slowest link) + (sum of latencies).
// Contract: a Machine is immutable after reading; every query is const, thread-safe and deterministic.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/ticks.hpp"
#include "weft/core/units.hpp"
#include "weft/machine/kernel.hpp"

namespace weft::machine {

using SiteId = std::uint32_t;
using NodeId = std::uint32_t;
using LinkId = std::uint32_t;
using ClassId = std::uint16_t;
inline constexpr std::uint32_t kNone = ~0u;

/// Bytes become whole frames: a frame carries `payload` bytes and holds the link for `time`. No framing: payload 0, and
/// b bytes hold the link for b / bandwidth.
struct Framing {
  Bytes payload{0};
  Seconds time{0};
};

struct LinkClass {
  std::string name;
  BytesPerSecond bandwidth{0};  ///< payload rate (after framing)
  Seconds latency{0};
  JoulesPerBit energy{0};
  Framing framing;
  bool injection = false;  ///< between a site and its own router or hub port (not counted in `links` shown to people)
  bool multicast = false;  ///< its upstream node can copy one input to several outputs at no cost
  bool reduces = false;    ///< its upstream node can add several inputs into one output
  bool circuit = false;    ///< up only when raised by a reconfigure
  bool honours_weights = true;
  std::string source;
  /// Time that `bytes` hold this link, whole frames counted.
  Seconds service_time(Bytes bytes) const;
};

struct Link {
  NodeId from = kNone;
  NodeId to = kNone;
  ClassId cls = 0;
};

struct MemoryTier {
  std::string name;  ///< e.g. "hbm", "sram"
  Bytes capacity{0};
  BytesPerSecond bandwidth{0};  ///< 0: never a limit
  std::string source;
};

struct SiteClass {
  std::string name;               ///< e.g. "gpu"
  std::vector<MemoryTier> tiers;  ///< the first is the default tier
  std::string source;
};

/// Software at the ends of a move. Chosen by name, or by the machine's table from the route's fabric
/// and the size.
struct Transport {
  std::string name;
  std::string fabric;            ///< name of the fabric whose routes it serves; empty: any
  Seconds start{0};              ///< once a move
  Seconds grain_start{0};        ///< once a grain
  BytesPerSecond rate_limit{0};  ///< per move; 0: none
  double efficiency = 1;         ///< share of a link's payload rate that it reaches
  Bytes grain{0};                ///< it cuts plain moves into grains of this size (0: none)
  int slots = 0;
  int sms = 0;
  Bytes smallest{0};  ///< serves message sizes smallest .. largest
  Bytes largest{INT64_MAX};
  Bytes operation_smallest{0};  ///< and operations (the goal's size) in this range
  Bytes operation_largest{INT64_MAX};
  std::string source;
};

/// A cyclic rotation of the equal children of one component level (or, where a link has failed, the exchange of two of them)
/// that maps the graph onto itself with equal classes. Engines use it to simulate one of many equal sites.
struct Symmetry {
  std::string level;          ///< e.g. "node"
  std::vector<SiteId> sites;  ///< image of each site
  std::vector<LinkId> links;  ///< image of each link
};

struct Level {
  std::string name;
  std::int64_t count = 0;
};

/// Something in the machine that has a figure and the place it came from.
struct SourcedFigure {
  std::string what, value, source;
};

struct KernelScale {
  double compute = 1, memory = 1, floor = 1;
};
/// time >= each part. The parts are what the kernel would take were the others free.
struct KernelCost {
  Seconds time{0};
  Seconds compute{0}, memory{0}, floor{0};
};

class Machine {
 public:
  virtual ~Machine() = default;

  const std::string& name() const { return name_; }
  std::uint32_t sites() const { return sites_; }
  std::uint32_t nodes() const { return nodes_; }
  std::span<const Link> links() const { return links_; }
  const LinkClass& link_class(LinkId link) const { return link_classes_[links_[link].cls]; }
  std::span<const LinkClass> link_classes() const { return link_classes_; }
  const SiteClass& site_class(SiteId site) const { return site_classes_[site_class_of_[site]]; }
  ClassId site_class_id(SiteId site) const { return site_class_of_[site]; }
  std::span<const SiteClass> site_classes() const { return site_classes_; }

  /// Cycles per second where the machine has a clock; results then have `cycles`.
  std::optional<Hertz> clock() const { return clock_; }
  /// Engine time: a whole fraction of the clock's cycle, else picoseconds.
  TickClock ticks() const { return ticks_; }

  /// Links from src to dst in order. `via` names a fabric, circuit or plane ("" = the machine's own routing). False when
  /// there is no way. src == dst gives an empty route.
  virtual bool route(SiteId src, SiteId dst, std::string_view via, std::vector<LinkId>& out) const = 0;
  /// Name of the fabric that joins the two sites (for the transport table and the reports), e.g. "nvlink", "infiniband".
  virtual std::string_view fabric_between(SiteId src, SiteId dst) const = 0;
  /// Shown to people: "node[3].gpu[2]", and for a link "node[3].gpu[2] -> node[3].nvswitch".
  virtual std::string site_name(SiteId site) const = 0;
  virtual std::string node_name(NodeId node) const = 0;
  std::string link_name(LinkId link) const;

  /// Time of one kernel at one site, launch floor included, and what bounds it. `scale` makes parts of the device faster
  /// (1.1 = 10 % faster) for what-if questions. Throws an input Error for unknown operations or shapes.
  virtual KernelCost kernel_cost(SiteId site, const Kernel& kernel, const KernelScale& scale = {}) const = 0;
  /// Peak rate of a number type at a site, dense (matrix units where it has them).
  virtual FlopsPerSecond peak(SiteId site, DType type) const = 0;
  virtual Seconds barrier_time(std::uint32_t sites) const = 0;
  /// Cost of issuing one kernel or communication step from the host, and whether it hides behind running work.
  virtual Seconds launch_time() const = 0;
  virtual Seconds reconfigure_time() const = 0;
  /// Lanes that a router can tell apart (colours of a wafer), where the machine limits them.
  virtual std::optional<int> colours() const { return std::nullopt; }
  virtual std::string_view about() const { return {}; }
  /// May a site compute while its links move data?
  virtual bool overlaps() const = 0;

  std::span<const Transport> transports() const { return transports_; }
  /// By name; kNone-like nullptr with the machine's table where the name is empty; throws for an unknown name.
  const Transport* transport(std::string_view name, std::string_view fabric, Bytes message, Bytes operation) const;

  std::span<const Symmetry> symmetries() const { return symmetries_; }
  std::span<const Level> levels() const { return levels_; }
  /// Smallest bandwidth, in one direction, between halves of the top level's children (fabric's own formula).
  virtual BytesPerSecond bisection() const = 0;
  virtual int diameter_hops() const = 0;
  std::span<const SourcedFigure> figures() const { return figures_; }

 protected:
  std::string name_;
  std::uint32_t sites_ = 0, nodes_ = 0;
  std::vector<Link> links_;
  std::vector<LinkClass> link_classes_;
  std::vector<SiteClass> site_classes_;
  std::vector<ClassId> site_class_of_;
  std::optional<Hertz> clock_;
  TickClock ticks_{1e12};
  std::vector<Transport> transports_;
  std::vector<Symmetry> symmetries_;
  std::vector<Level> levels_;
  std::vector<SourcedFigure> figures_;
};

/// Options that commands give: `--shape 16x16`, `--set PATH=VALUE`.
struct LoadOptions {
  std::vector<std::int64_t> shape;
  std::vector<std::pair<std::string, std::string>> set;
};

/// `what`: a shipped name, a path to a machine file, either with `*N` appended to join N by the scale-out fabric that the
/// file names. Throws Error (usage for unknown names with the nearest, input with position for a wrong file).
std::shared_ptr<const Machine> load(std::string_view what, const LoadOptions& options = {});
/// From text; `file` is only the name shown in errors.
std::shared_ptr<const Machine> parse(std::string_view text, std::string_view file, const LoadOptions& options = {});

}  // namespace weft::machine
