// Goals of the standard operations, written by the operation and never by an algorithm.
//
// Coordinates: over n ranks an operation's tensor has n pieces on axis 0 where pieces differ by rank
//   broadcast, reduce, all_reduce: x [cells]             reduce_scatter, all_gather: x [n, ...], piece r is rank r's
//   all_to_all: x [n, n, ...], x[i, j] goes from rank i to rank j     send_recv: x from ranks[0] to ranks[1], or to
//   place[0].at, or from place[0].at to place[1].at where the goal has both
#pragma once
#include <functional>
#include <vector>

#include "weft/program/expand.hpp"
#include "weft/program/program.hpp"

namespace weft::program {

/// A requirement in plain form: these boxes of this buffer at this site, holding the sum of `contributors`' own values, or
/// (contributors empty) the tensor's value.
struct Requirement {
  SiteId site = 0;
  BufferId buffer = 0;
  std::vector<Box> boxes;
  bool sum = false;  ///< of every rank's contribution
};

struct FlatBoxes;
/// Calls visit(env with the set indices, site, boxes) for each value of a placement's indices and each of its sites.
void for_each_placement(const Program& program, const Placement& placement, const std::int64_t* env,
                        const std::function<void(const std::int64_t*, SiteId, const FlatBoxes&)>& visit);

/// Sites of the goal's ranks, in order.
std::vector<SiteId> ranks_of(const Program& program, const Goal& goal, const std::int64_t* env);
/// Calls visit for each requirement. `env` has the values of repeat counters and block parameters.
void for_each_requirement(const Program& program, const Goal& goal, const std::int64_t* env,
                          const std::function<void(const Requirement&)>& visit);
bool reducing(GoalKind kind);
/// Size as users count it (nccl-tests): the larger of one rank's send and receive buffer.
Bytes operation_size(const Program& program, const Goal& goal);

}  // namespace weft::program
