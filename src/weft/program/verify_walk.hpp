// The walk of verify: every plain task in list order reads and writes cells; values, races and goals are checked on the way.
//
// What lies at (buffer, site, cell) is kept for cells that were written; what starts there is a list of runs a (buffer, site), and
// reads of it go to a log that is looked at only where such a cell is written later.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "weft/core/random.hpp"
#include "weft/program/expand_chunk.hpp"
#include "weft/program/goals.hpp"
#include "weft/program/verify.hpp"
#include "weft/program/verify_algebra.hpp"
#include "weft/program/verify_cells.hpp"
#include "weft/program/verify_meaning.hpp"
#include "weft/program/verify_order.hpp"
#include "weft/program/verify_parts.hpp"

namespace weft::program {

/// Names for faults.
std::string site_text(const Program& program, SiteId site);
std::string member_text(const Expansion& e, InstanceId instance, std::uint32_t member);

/// The instance that a member belongs to.
InstanceId instance_of(const Expansion& e, std::uint32_t member);

/// Cells of every tensor, from all boxes of starts, tasks and goals.
std::vector<Cells> cut_cells(const Expansion& e);

/// A goal in force: the program's, or a block's at the end of one call.
struct GoalAt {
  const Goal* goal = nullptr;
  InstanceId after = 0;  ///< checked when so many instances have been walked
  const std::int64_t* env = nullptr;
};
std::vector<GoalAt> goals_of(const Expansion& e);

/// A fault with its place in the list, so that the first one can be told.
struct PlacedFault {
  std::uint64_t member = 0;
  Fault fault;
};

/// A goal that is not met: for the exact walk.
struct Unmet {
  bool found = false;
  GoalAt at;
  SiteId site = 0;
  BufferId buffer = 0;
  std::uint64_t cell = 0;
  Value value = 0, expected = 0;
};

class Walk {
 public:
  Walk(const Expansion& e, const std::vector<Cells>& cells, Algebra& algebra, std::uint32_t sites);
  /// `order`: also check races. Stops after the first fault unless `most` allows more.
  void run(Order* order, std::size_t most);
  const std::vector<PlacedFault>& faults() const { return faults_; }
  const Unmet& unmet() const { return unmet_; }
  MeaningOf& meaning() { return meaning_; }
  /// Calls visit(buffer, site, cell, starts) for every cell that something lies in at some time.
  void each_cell(const std::function<void(BufferId, SiteId, std::uint64_t, bool)>& visit) const;
  /// Without `order`: still remember who reads what, for each_life.
  void keep_readers() { keep_readers_ = true; }
  /// Calls visit(buffer, site, cell, first writer, last users) for every written cell that nothing starts in: the last
  /// users are the last writer and the readers since (verify_lifetimes.hpp).
  using VisitLife = std::function<void(BufferId, SiteId, std::uint64_t, std::uint32_t, std::span<const std::uint32_t>)>;
  void each_life(const VisitLife& visit) const;

 private:
  struct Cell {
    Value value = 0;
    std::uint32_t writer = kNone;   ///< member; the start's are not here
    std::uint32_t readers = kNone;  ///< newest entry of readers_
  };
  struct Reader {
    std::uint32_t member, next;
  };
  struct StartRun {
    std::uint64_t region;
    std::uint32_t first, last;
  };
  struct StartRead {
    std::uint64_t key;
    std::uint32_t member;
  };
  struct Mix {
    std::size_t operator()(std::uint64_t key) const { return static_cast<std::size_t>(mix64(key)); }
  };
  std::uint64_t region(BufferId buffer, SiteId site) const { return std::uint64_t{buffer} * sites_ + site; }
  static std::uint64_t key(std::uint64_t region, std::uint64_t cell) { return (region << 32) | cell; }
  TensorId tensor_of(BufferId buffer) const { return p_.buffers[buffer].tensor; }

  void place_starts();
  bool starts_at(std::uint64_t region, std::uint64_t cell) const;
  /// Starts there and no task has written it: most of what is read, and no need to look where written cells lie.
  bool untouched_start(std::uint64_t place, std::uint64_t cell) const;
  Value start_value(TensorId tensor, SiteId site) {
    return reduced_[tensor] != 0 ? algebra_.contribution(tensor, site) : algebra_.own(tensor);
  }
  bool peek(BufferId buffer, SiteId site, std::uint64_t cell, Value& value);
  bool read(BufferId buffer, SiteId site, std::uint64_t cell, Value& value);
  void write(BufferId buffer, SiteId site, std::uint64_t cell, Value value, bool add);
  void check_write(const Cell& cell, BufferId buffer, SiteId site, std::uint64_t at, bool add);
  void resolve_start_reads();

  void walk_member(const Task& task);
  using Runs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  void moves(const Task& task, const Instance& i);
  void plan(const Task& task, const Instance& i, std::uint32_t member, Runs& out);
  void carry(const Task& task, SiteId from, SiteId to, const Runs& runs);
  void reduce(const Task& task);
  void compute(const Task& task);
  void compute_same(const Task& task, const ChunkRef& out, bool add);
  void compute_other(const Task& task, const ChunkRef& out, bool add);
  using Reads = std::map<TensorId, std::vector<Piece>>;
  std::uint32_t equation_for(TensorId tensor, std::span<const std::int64_t> written, const Reads& read) const;
  bool part_fits(const Equation& e, TensorId read, std::span<const std::int64_t> box,
                 const std::vector<Part>& output) const;
  void check_parts(const Task& task, TensorId tensor, std::span<const std::int64_t> written);
  Value opaque_value(const Task& task, TensorId tensor, const Reads& read);
  std::vector<Piece> read_pieces(const Task& task, TensorId tensor);
  const std::vector<std::int64_t>& env();
  void check_goal(const GoalAt& at);
  void gather_cells(const Requirement& need);
  void unmet(const GoalAt& at, const Requirement& need, std::uint64_t cell, bool present, Value value, Value wanted,
             bool known);
  void fault(std::string what);
  void race(std::uint32_t before, const char* how, BufferId buffer, SiteId site, std::uint64_t cell);
  std::string piece_text(BufferId buffer, SiteId site, std::uint64_t cell) const;

  const Expansion& e_;
  const Program& p_;
  const std::vector<Cells>& cells_;
  Algebra& algebra_;
  std::uint64_t sites_;
  std::vector<std::uint8_t> reduced_;
  MeaningOf meaning_;
  ChunkEvaluator chunks_;
  Order* order_ = nullptr;

  absl::flat_hash_map<std::uint64_t, Cell, Mix> state_;
  std::vector<StartRun> starts_;
  absl::flat_hash_map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> start_of_;
  std::vector<StartRead> start_reads_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> start_written_;  ///< key -> first writer
  std::vector<Reader> readers_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t, Mix> first_writer_;  ///< of cells written more than once
  bool keep_readers_ = false;

  InstanceId instance_ = 0;
  std::uint32_t member_ = 0;
  bool env_ready_ = false, goal_phase_ = false;
  std::vector<std::int64_t> env_;
  static constexpr std::uint32_t kPlanned = 12;
  Runs planned_[kPlanned];  ///< cells of the next moves
  FlatBoxes boxes_, other_;
  std::vector<std::uint64_t> required_;  ///< cells of a requirement
  std::size_t most_ = 1;
  std::vector<PlacedFault> faults_;
  Unmet unmet_;
};

}  // namespace weft::program
