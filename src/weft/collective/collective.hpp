// Collectives: communication algorithms, each a way to write moves and adds of a Program.
//
// Three things are kept apart. The *operation* (operation.cpp) says what must hold: the tensor, what lies where at the start,
// and the goal. An *algorithm* (one file each, registered under its name) writes the tasks, and never a goal, so that no
// algorithm marks its own work. The *ranks* say who takes part: one group for `weft collective`, or many equal groups at once
// when a model's step calls the same algorithm inside a layer.
//
// Sizes are counted as nccl-tests count them: S is the larger of one rank's send and receive buffer. With n ranks the pieces
// are S/n, fractions of a byte included; each message rounds up once.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/core/registry.hpp"
#include "weft/core/units.hpp"
#include "weft/machine/machine.hpp"
#include "weft/program/builder.hpp"
#include "weft/program/program.hpp"

namespace weft::collective {

/// Parameters of an algorithm by name, from `--set algorithm.NAME=VALUE`. Those an algorithm does not know are refused.
using Parameters = std::map<std::string, std::string, std::less<>>;

/// Who takes part: n ranks in every group. `outer` are set indices that run over the groups (none: one group).
struct Ranks {
  program::SpaceId space = 0;
  std::int64_t n = 1;
  std::vector<program::SetIndex> outer;
  /// The site of rank `r` of the group that the outer indices name. `r` may be any linear expression, modulo included.
  std::function<std::vector<program::AxisRange>(const program::Lin& r)> at;
};

/// One call of an algorithm: where its data lies and what comes before.
struct Job {
  program::GoalKind operation = program::GoalKind::all_reduce;
  Ranks ranks;
  program::BufferId data = 0;
  /// The box of piece p (all-to-all: of what p sends to q) in the data's coordinates.
  std::function<std::vector<program::AxisRange>(const std::vector<program::Lin>& piece)> piece;
  Bytes piece_bytes{0};  ///< one piece, rounded up
  program::DType dtype = program::DType::bf16;
  std::string prefix;  ///< of the names of tasks and buffers
  std::string tag;
  std::vector<std::string> after;  ///< tasks that every first task waits for
  std::string transport;           ///< empty: the machine's table chooses
  Parameters parameters;
};

/// Registry payload. `write` appends tasks to the open body and returns the names of those that the data's users must
/// wait for (empty when there was nothing to do).
struct Writer {
  std::vector<std::string> operations;  ///< names of Operation entries
  std::string needs;                    ///< for people: "any n", "n a power of two"
  std::function<std::vector<std::string>(program::Builder&, const Job&)> write;
};

/// Registry payload: an operation by its name on the command line.
struct Operation {
  program::GoalKind kind = program::GoalKind::all_reduce;
  int piece_axes = 1;  ///< leading axes of x that count ranks: 2 for all-to-all
};

struct Request {
  std::string operation;   ///< "all-reduce"
  std::string algorithm;   ///< "ring"
  std::int64_t ranks = 0;  ///< the first so many sites; 0: all
  Bytes size{0};
  const machine::Machine* machine = nullptr;  ///< asked for shape and names, never for time
  Parameters parameters;
  std::optional<program::DType> dtype = {};  ///< of the elements that are added; see element_type
};

/// The type asked for, or the first of bf16, f16 and f32 that the machine's sites can compute with.
program::DType element_type(const Request& request);

/// The operation's tensor, start and goal on the first n sites (operation.cpp).
struct Setting {
  program::SpaceId space = 0;
  program::TensorId x = 0;
};
Setting write_operation(program::Builder& builder, const Operation& operation, std::string_view site_name,
                        std::int64_t n, Bytes size);

/// A whole Program. Throws usage Errors for unknown names (nearest given), for an algorithm that cannot do the operation,
/// for parameters without effect, and for more ranks than the machine has sites.
program::Program write(const Request& request);

/// Names of the algorithms that can do the operation, sorted.
std::vector<std::string> algorithms_for(std::string_view operation);

/// Moves are cut into grains of this many bytes where an add follows them ("grain", one slot of a channel's buffer).
Bytes grain_of(const Job& job);

}  // namespace weft::collective
