// The Program: what happens, never what it costs.
//
// A Program stands for a flat list of plain tasks, its expansion. Sets (`over`), repeats, blocks and streams only write that
// list shortly; each is defined by how it expands (expand.hpp). A Program carries its start (what lies where), its meaning
// (what its tensors are, as equations) and its goal (what must lie where at the end). It holds no time and no machine.
//
// Names are resolved once, by the text reader (text.hpp) or the Builder (builder.hpp); everything here is dense ids.
//
// Binding rules, the ones that every engine and the verifier share:
//   * A task over a box of indices has one member for each value of the box, the last index fastest. A move whose source and
//     destination are the same memory (site, tier and buffer) has nothing to do: that member does not exist.
//   * `after A`: a member of B waits for the end of each member of A that has a source or destination site in common with it.
//   * `streams A`: a member of B follows each member of A that arrives at (moves) or runs at (computes) its source site.
//   * `after all A`, and any edge to or from a task that is no set, a barrier or a reconfigure, binds to every member.
//   * An edge that binds no pair at all is a fault, except where `of i-1` reaches before the first round.
//   * Inside a repeat, a name means the same round (`of i-k`: k rounds back); from outside, its last round.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/core/units.hpp"
#include "weft/machine/kernel.hpp"

namespace weft::program {

using machine::DType;
using VarId = std::uint32_t;     ///< a set index or a repeat's counter; index into Program::vars
using SpaceId = std::uint32_t;   ///< index into Program::spaces
using TensorId = std::uint32_t;  ///< index into Program::tensors
using BufferId = std::uint32_t;  ///< index into Program::buffers
using TableId = std::uint32_t;   ///< index into Program::tables
using TaskId = std::uint32_t;    ///< index into Program::tasks: the order written
inline constexpr std::uint32_t kNone = ~0u;

/// ((base + sum of coef * var) xor flip) mod `mod`; mod 0 means none. The result of mod is never negative.
struct IndexExpr {
  struct Term {
    VarId var = 0;
    std::int64_t coef = 1;
    bool operator==(const Term&) const = default;
  };
  std::int64_t base = 0;
  std::vector<Term> terms;
  std::int64_t flip = 0;
  std::int64_t mod = 0;
  bool operator==(const IndexExpr&) const = default;
  /// `env[var]` holds the value of each variable.
  std::int64_t eval(const std::int64_t* env) const {
    std::int64_t v = base;
    for (const Term& t : terms) v += t.coef * env[t.var];
    if (flip != 0) v ^= flip;
    if (mod != 0) {
      v %= mod;
      if (v < 0) v += mod;
    }
    return v;
  }
  bool constant() const { return terms.empty(); }
};

/// One axis of a box: everything (`:`; for sites also `*`), one index, or `count` indices from `lo` (`lo..hi`, `lo+:count`).
struct AxisRange {
  bool all = true;
  IndexExpr lo;
  std::int64_t count = 1;
  bool operator==(const AxisRange&) const = default;
};

/// A named box of sites, e.g. `gpu 16x8`, laid row-major on the machine's sites `first`, `first`+1, ... or on those listed.
struct Space {
  std::string name;
  std::vector<std::int64_t> shape;
  std::uint32_t first = 0;
  std::vector<std::uint32_t> listed;  ///< empty: consecutive
  std::int64_t size() const;
  std::uint32_t site(std::int64_t flat) const {
    return listed.empty() ? first + static_cast<std::uint32_t>(flat) : listed[static_cast<std::size_t>(flat)];
  }
};

/// A logical array. Either dtype with its size, or, for plain payloads that need not divide, `total` bytes spread evenly
/// over the shape (so a cell may be a fraction of a byte; sizes round up once, per message).
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  DType dtype = DType::u8;
  std::optional<Bytes> total;
  std::int64_t volume() const;
  /// Bytes of `cells` cells, rounded up.
  Bytes bytes(std::int64_t cells) const;
};

/// A place that holds boxes of a tensor under its own name, one at each site that uses it. Every tensor has a buffer of its
/// own name; further ones (`buffer in of x`) hold copies in transit. Boxes keep the tensor's coordinates.
struct Buffer {
  std::string name;
  TensorId tensor = 0;
  std::string tier;  ///< empty: the site's default tier
};

/// Demand: which piece of a tensor goes from where to where. `from` and `to` are flat indices into `space`; the piece is
/// rows [first, first+count) of axis 1 at index `lead` of axis 0, whole in the other axes.
struct Table {
  struct Row {
    std::uint32_t from = 0, to = 0, lead = 0;
    std::int64_t first = 0, count = 0;
    bool operator==(const Row&) const = default;
  };
  std::string name;
  SpaceId space = 0;
  std::vector<Row> rows;
};

/// Sites: a box of a space, row-major; no axes: the whole space.
struct SiteRef {
  SpaceId space = kNone;
  std::vector<AxisRange> axes;
  bool operator==(const SiteRef&) const = default;
};

/// A box of a buffer; an empty box means the whole tensor. With `table`, the pieces of the table's rows that start (`from`)
/// or end (`to`) at the member's site.
struct ChunkRef {
  enum class By : std::uint8_t { box, table_from, table_to };
  BufferId buffer = kNone;
  std::vector<AxisRange> box;
  By by = By::box;
  TableId table = kNone;
  bool operator==(const ChunkRef&) const = default;
};

struct Edge {
  enum class Kind : std::uint8_t { after, streams };
  Kind kind = Kind::after;
  TaskId on = kNone;  ///< with `call`: index into Program::calls
  bool all = false;
  std::int64_t back = 0;    ///< `of i-back`: rounds of the innermost repeat that both share
  Bytes grain{0};           ///< streams: size of the followed task's grains
  std::int64_t window = 0;  ///< streams: grains of buffer between the two; 0 is unlimited
  int line = 0;             ///< of the text it came from, for faults
  bool call = false;        ///< `on` is a call: waits for the last tasks of its block
};

/// Index of a set: lo <= value < hi.
struct SetIndex {
  VarId var = 0;
  std::int64_t lo = 0, hi = 0;
};

struct KernelDim {
  std::string name;
  IndexExpr value;
};

/// A kernel as written: dimensions may depend on indices. Dimensions left out are derived where the operation allows it:
/// add: n = elements written; elementwise: read and written bytes from the chunks; copy: bytes.
struct KernelRef {
  std::string op;
  std::vector<KernelDim> dims;
  DType dtype = DType::f32;
};

enum class Kind : std::uint8_t { compute, move, control };
enum class Cast : std::uint8_t { one, multicast, reduce };  ///< reduce: many sources, added on the way
enum class Control : std::uint8_t { barrier, reconfigure, launch };

struct Task {
  std::string name;  ///< unique in its scope (program or block)
  Kind kind = Kind::compute;
  std::string tag;  ///< layer, operator, phase: what explain groups by
  std::vector<SetIndex> over;

  // compute
  KernelRef kernel;
  SiteRef at;  ///< also: sites of a control
  std::vector<ChunkRef> reads, writes,
      adds;  ///< adds: the result is added to what is there (nothing there counts as zero)

  // move: chunk `what` from the sites `from` to buffer `into` at the sites `to`. With a table: one member a row.
  ChunkRef what;
  BufferId into = kNone;
  SiteRef from, to;
  TableId table = kNone;
  Cast cast = Cast::one;
  std::optional<IndexExpr> lane;
  double weight = 1;
  std::string transport, via;

  // control
  Control control = Control::barrier;
  std::string circuits;                  ///< reconfigure: the fabric
  std::vector<std::string> drop, raise;  ///< e.g. "0-1"

  std::vector<Edge> edges;
  int line = 0;
};

/// Structure of a body: tasks, repeats and calls in the order written.
struct Item {
  enum class Kind : std::uint8_t { task, repeat, call };
  Kind kind = Kind::task;
  std::uint32_t index = 0;  ///< TaskId, or index into repeats / calls
};
struct Repeat {
  VarId var = 0;
  std::int64_t rounds = 0;
  std::vector<Item> body;
};

/// What a tensor is: `out[..] += A[..]*B[..]*...` (einsum: axes are names) or `out[..] = op(in[..], ...)`.
/// Logical, without places; what an operation or a model says, never an algorithm.
struct Meaning {
  struct Operand {
    TensorId tensor = 0;
    std::vector<std::string> axes;  ///< einsum: an axis name each; a repeat's counter may stand in an axis
    /// apply: the box used (empty: the whole tensor). einsum: empty, or one entry an axis, where the fixed axes (an integer,
    /// an expression in repeat counters) have all = false and an empty name in `axes`.
    std::vector<AxisRange> box;
  };
  bool einsum = true;
  std::string op;  ///< apply: the operation's name
  Operand out;
  std::vector<Operand> in;
  /// einsum: only so many indices of this axis carry data (experts that get a token at all; which, is known at run time).
  /// Bounds count no more than those; the empty rest is a sum of nothing, so values do not change. Empty: all do.
  std::string active_axis;
  std::int64_t active = 0;
  int line = 0;
};

/// Where something must lie (goal) or lies (start). `over` gives the free indices of both sides.
struct Placement {
  std::vector<SetIndex> over;
  ChunkRef chunk;
  SiteRef at;
  int line = 0;
};

/// Standard operations name their tensor and ranks; their placements follow from goals.hpp. `each rank's own x` is a
/// contribution of that rank for reduce, all-reduce and reduce-scatter, and the tensor's value otherwise.
enum class GoalKind : std::uint8_t {
  place,
  deliver,
  broadcast,
  reduce,
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all,
  send_recv
};
struct Goal {
  GoalKind kind = GoalKind::place;
  BufferId buffer = kNone;  ///< standard operations and deliver
  SiteRef ranks;            ///< who takes part, in this order
  std::vector<Placement>
      place;              ///< kind place: what must lie where; reduce, broadcast, send_recv: root or ends in [0].at
  TableId table = kNone;  ///< deliver: each row's piece at its `to`
  int line = 0;
};

/// Logical statements in order, with repeats (so that layers can be said once).
struct MeaningItem {
  enum class Kind : std::uint8_t { statement, repeat };
  Kind kind = Kind::statement;
  Meaning statement;
  VarId var = 0;
  std::int64_t rounds = 0;
  std::vector<MeaningItem> body;
};

/// A named body with parameters and a goal of its own, checked at the end of every call. Names inside are its own.
struct Block {
  std::string name;
  std::vector<VarId> parameters;
  std::vector<Item> body;
  std::vector<Goal> goals;
};
struct Call {
  std::uint32_t block = 0;
  std::string name;  ///< how edges refer to it: waits for the block's last tasks (those that no task of it waits for)
  std::vector<IndexExpr> arguments;
  std::vector<Edge> edges;  ///< bind to the block's first tasks (those without an edge inside it)
  int line = 0;
};

struct Program {
  std::string name;
  std::vector<std::string> vars;
  std::vector<Space> spaces;
  std::vector<Tensor> tensors;
  std::vector<Buffer> buffers;  ///< the first tensors.size() are the tensors' own, in order
  std::vector<Table> tables;
  std::vector<std::string> up;  ///< circuits up at the start, "ocs:0-1"
  std::vector<Placement> start;
  std::vector<MeaningItem> meaning;
  std::vector<Goal> goals;
  std::vector<Task> tasks;
  std::vector<Repeat> repeats;
  std::vector<Block> blocks;
  std::vector<Call> calls;
  std::vector<Item> body;
};

}  // namespace weft::program
