// Expansion: the flat list of plain tasks that a Program stands for.
//
// An *instance* is one written task in one round of its repeats and one call of its block; its *members* are its plain
// tasks. Instances are numbered in list order and that number is the members' number: it breaks ties and orders lanes.
// Storage is flat: some 32 B a member, so a million-move all-to-all takes 32 MB.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/program.hpp"

namespace weft::program {

using machine::SiteId;
using InstanceId = std::uint32_t;

struct Member {
  SiteId src = kNone;      ///< move: source; compute: its site; control: first of its sites
  SiteId dst = kNone;      ///< move: destination; compute and control: = src
  std::int64_t bytes = 0;  ///< move: payload; compute: written (and added) bytes
  std::int32_t lane = -1;  ///< -1: a lane of its own
  std::uint32_t list =
      kNone;  ///< index into Expansion::lists. multicast: destinations, dst the first; reduce: sources, src the
              ///< first; control: its sites (a reconfigure or launch that names none: all the program's)
  std::uint32_t ordinal =
      0;  ///< position in the box of set indices (members that do not exist are skipped), or table row
};

struct InstanceEdge {
  InstanceId on = kNone;
  Edge::Kind kind = Edge::Kind::after;
  bool all = false;  ///< binds to every member (said, or by the rule for single tasks, barriers, reconfigures)
  Bytes grain{0};
  std::int64_t window = 0;
};

struct Instance {
  TaskId task = kNone;
  std::uint32_t first = 0, count = 0;       ///< its members
  std::uint32_t first_edge = 0, edges = 0;  ///< into Expansion::edges
  std::uint32_t environment = 0;  ///< offset into Expansion::environments: values of all vars (set indices unset)
  std::uint32_t call = kNone;     ///< ordinal of the call instance it belongs to
};

/// The end of a block call in list order: where the block's goals are checked.
struct CallEnd {
  std::uint32_t block = 0;
  InstanceId after = 0;  ///< number of instances expanded when it ended
  std::uint32_t environment = 0;
};

struct Expansion {
  const Program* program = nullptr;
  std::vector<Instance> instances;
  std::vector<Member> members;
  std::vector<InstanceEdge> edges;
  std::vector<std::vector<SiteId>> lists;
  std::vector<std::int64_t> environments;  ///< rows of program->vars.size()
  std::vector<CallEnd> call_ends;

  std::span<const Member> of(const Instance& i) const { return {members.data() + i.first, i.count}; }
  std::span<const InstanceEdge> edges_of(const Instance& i) const { return {edges.data() + i.first_edge, i.edges}; }
  const Task& task(const Instance& i) const { return program->tasks[i.task]; }
  /// Values of all variables for one member; `env` has vars.size() entries.
  void environment(const Instance& i, const Member& m, std::int64_t* env) const;
  /// All sites a member touches: {src}, {src, dst} or its list.
  void sites_of(const Member& m, std::vector<SiteId>& out) const;
};

/// Members of one instance by site, built when an edge needs them: CSR over the sites between the lowest and the highest
/// that occur, or over those that occur where they are few.
class MembersBySite {
 public:
  enum class End : std::uint8_t { any, source, destination };
  MembersBySite(const Expansion& expansion, InstanceId instance, std::uint32_t sites, End end);
  std::span<const std::uint32_t> at(SiteId site) const;  ///< indices into Expansion::members, ascending

 private:
  void sparse(const Expansion& expansion, const Instance& instance, End end);
  SiteId low_ = 0;
  std::vector<SiteId> site_;  ///< the sites that occur; empty: every one from low_
  std::vector<std::uint32_t> start_, member_;
};

/// Calls `pair(b, a)` for each bound pair of the edge from members of `b`'s instance to members of `on`, by the binding
/// rules of program.hpp. Members are indices into Expansion::members; b ascending. `all` edges are not enumerated: returns
/// false for them and the caller treats the whole instance as one. Binding (expand_bind.hpp) keeps its tables between calls.
bool for_each_binding(const Expansion& e, InstanceId b, const InstanceEdge& edge, std::uint32_t sites,
                      const std::function<void(std::uint32_t, std::uint32_t)>& pair);

/// Expands. Throws Error (check_failed, with the task and its line) for form faults: an edge that binds nothing, an index
/// outside its space or tensor, an edge to a later task, sites the machine does not have (`sites` = its number).
Expansion expand(const Program& program, std::uint32_t sites);

/// Kernel of one compute member with its dimensions evaluated and the derivable ones filled in.
machine::Kernel kernel_of(const Expansion& e, const Instance& i, const Member& m);

/// Evaluates a chunk's boxes: flat list of [lo, hi) per axis of the tensor, one row a box.
struct Box {
  std::vector<std::int64_t> lo, hi;
  std::int64_t volume() const;
};
void boxes_of(const Program& p, const ChunkRef& chunk, const std::int64_t* env, std::int64_t flat_site,
              std::vector<Box>& out);
/// Machine sites of a reference (all its axes evaluated), row-major.
void sites_of(const Program& p, const SiteRef& ref, const std::int64_t* env, std::vector<SiteId>& out);

}  // namespace weft::program
