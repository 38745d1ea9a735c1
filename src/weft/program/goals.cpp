#include "weft/program/goals.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/expand_chunk.hpp"
#include "weft/program/expand_members.hpp"

namespace weft::program {
namespace {

const Tensor& tensor_of(const Program& p, const Goal& goal) {
  return p.tensors[p.buffers[goal.buffer].tensor];
}

Box whole(const Tensor& tensor) {
  Box box;
  box.lo.assign(tensor.shape.size(), 0);
  box.hi = tensor.shape;
  return box;
}

Box slice(const Tensor& tensor, std::size_t axis, std::size_t at) {
  Box box = whole(tensor);
  box.lo[axis] = static_cast<std::int64_t>(at);
  box.hi[axis] = box.lo[axis] + 1;
  return box;
}

void check_axis(const Goal& goal, const Tensor& tensor, std::size_t axis, std::size_t ranks) {
  if (tensor.shape.size() > axis && tensor.shape[axis] == static_cast<std::int64_t>(ranks)) return;
  form_fault("goal", goal.line,
             fmt::format("{} has a piece a rank: axis {} must have {}, one for each rank", tensor.name, axis, ranks));
}

using Visit = std::function<void(const Requirement&)>;

void deliver(const Program& p, const Goal& goal, const Visit& visit) {
  const Table& table = p.tables[goal.table];
  ChunkEvaluator chunks(p);
  for (std::uint32_t r = 0; r < table.rows.size(); ++r) {
    if (table.rows[r].to >= p.spaces[table.space].size()) {
      form_fault("goal", goal.line,
                 fmt::format("row {} of table {} ends outside {}", r, table.name, p.spaces[table.space].name));
    }
    FlatBoxes flat;
    chunks.append_row(goal.buffer, table, r, flat);
    Requirement need{p.spaces[table.space].site(table.rows[r].to), goal.buffer, {}, false};
    append_boxes(flat, need.boxes);
    if (!need.boxes.empty()) visit(need);
  }
}

void place(const Program& p, const Goal& goal, const std::int64_t* env, const Visit& visit) {
  for (const Placement& placement : goal.place) {
    for_each_placement(p, placement, env, [&](const std::int64_t*, SiteId site, const FlatBoxes& flat) {
      Requirement need{site, placement.chunk.buffer, {}, false};
      append_boxes(flat, need.boxes);
      visit(need);
    });
  }
}

/// `from A to B` stands in two placements: the sender's and the receiver's.
bool both_ends(const Goal& goal) {
  return goal.kind == GoalKind::send_recv && goal.place.size() >= 2;
}

std::vector<SiteId> ends_of(const Program& p, const Goal& goal, const std::int64_t* env,
                            const std::vector<SiteId>& ranks) {
  std::vector<SiteId> ends;
  if (!goal.place.empty()) append_sites(p, goal.place[both_ends(goal) ? 1 : 0].at, env, ends);
  if (!ends.empty()) return ends;
  if (goal.kind == GoalKind::send_recv) {
    if (ranks.size() < 2) form_fault("goal", goal.line, "send-recv needs two ranks");
    return {ranks[1]};
  }
  return {ranks.at(0)};
}

void standard(const Program& p, const Goal& goal, const std::int64_t* env, const Visit& visit) {
  const std::vector<SiteId> ranks = ranks_of(p, goal, env);
  const Tensor& tensor = tensor_of(p, goal);
  if (ranks.empty()) form_fault("goal", goal.line, "no ranks take part");
  const auto need = [&](SiteId site, Box box, bool sum) {
    visit(Requirement{site, goal.buffer, {std::move(box)}, sum});
  };
  const bool rooted = goal.kind == GoalKind::reduce || goal.kind == GoalKind::send_recv;
  if (rooted) {
    for (SiteId end : ends_of(p, goal, env, ranks)) need(end, whole(tensor), goal.kind == GoalKind::reduce);
    return;
  }
  if (goal.kind == GoalKind::reduce_scatter || goal.kind == GoalKind::all_gather)
    check_axis(goal, tensor, 0, ranks.size());
  if (goal.kind == GoalKind::all_to_all) {
    check_axis(goal, tensor, 0, ranks.size());
    check_axis(goal, tensor, 1, ranks.size());
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    if (goal.kind == GoalKind::reduce_scatter) {
      need(ranks[r], slice(tensor, 0, r), true);
    } else if (goal.kind == GoalKind::all_to_all) {
      need(ranks[r], slice(tensor, 1, r), false);
    } else {
      need(ranks[r], whole(tensor), goal.kind == GoalKind::all_reduce);
    }
  }
}

}  // namespace

void for_each_placement(const Program& p, const Placement& placement, const std::int64_t* env,
                        const std::function<void(const std::int64_t*, SiteId, const FlatBoxes&)>& visit) {
  std::vector<std::int64_t> mine(env, env + p.vars.size());
  mine.resize(std::max<std::size_t>(p.vars.size(), 1));
  for (const SetIndex& index : placement.over) {
    if (index.hi <= index.lo) return;
    mine[index.var] = index.lo;
  }
  ChunkEvaluator chunks(p);
  FlatBoxes flat;
  std::vector<SiteId> sites;
  for (;;) {
    sites.clear();
    append_sites(p, placement.at, mine.data(), sites);
    for (SiteId site : sites) {
      flat.bounds.clear();
      chunks.append(placement.chunk, mine.data(), site, flat);
      if (!flat.bounds.empty()) visit(mine.data(), site, flat);
    }
    std::size_t k = placement.over.size();
    while (k > 0 && ++mine[placement.over[k - 1].var] == placement.over[k - 1].hi) {
      mine[placement.over[k - 1].var] = placement.over[k - 1].lo;
      --k;
    }
    if (k == 0) return;
  }
}

std::vector<SiteId> ranks_of(const Program& program, const Goal& goal, const std::int64_t* env) {
  std::vector<SiteId> ranks;
  if (goal.kind == GoalKind::deliver) {
    append_sites(program, SiteRef{program.tables[goal.table].space, {}}, env, ranks);
  } else if (goal.kind == GoalKind::place) {
    for (const Placement& placement : goal.place) {
      for_each_placement(program, placement, env,
                         [&](const std::int64_t*, SiteId site, const FlatBoxes&) { ranks.push_back(site); });
    }
    std::ranges::sort(ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  } else if (both_ends(goal)) {
    for (std::size_t k = 0; k < 2; ++k) append_sites(program, goal.place[k].at, env, ranks);
  } else {
    if (goal.ranks.space == kNone) {
      const bool one_end = goal.kind == GoalKind::send_recv && !goal.place.empty();
      form_fault("goal", goal.line, one_end ? "it says one end and not the other" : "it does not say who takes part",
                 one_end ? "'from' and 'to'" : "'over' and the ranks");
    }
    append_sites(program, goal.ranks, env, ranks);
    if (goal.kind == GoalKind::send_recv && ranks.size() == 1) {  // `from` alone: the other end stands in [0].at
      if (!goal.place.empty()) append_sites(program, goal.place[0].at, env, ranks);
    }
  }
  return ranks;
}

void for_each_requirement(const Program& program, const Goal& goal, const std::int64_t* env, const Visit& visit) {
  try {
    if (goal.kind == GoalKind::place) {
      place(program, goal, env, visit);
    } else if (goal.kind == GoalKind::deliver) {
      deliver(program, goal, visit);
    } else {
      standard(program, goal, env, visit);
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::check_failed || !error.diagnostics().front().field.empty()) throw;
    form_fault("goal", goal.line, error.diagnostics().front().message, error.diagnostics().front().hint);
  }
}

bool reducing(GoalKind kind) {
  return kind == GoalKind::reduce || kind == GoalKind::all_reduce || kind == GoalKind::reduce_scatter;
}

Bytes operation_size(const Program& program, const Goal& goal) {
  if (goal.kind == GoalKind::place) return Bytes(0);
  const Tensor& tensor = tensor_of(program, goal);
  const std::vector<std::int64_t> env(std::max<std::size_t>(program.vars.size(), 1), 0);
  if (goal.kind == GoalKind::all_to_all) {
    const auto n = static_cast<std::int64_t>(ranks_of(program, goal, env.data()).size());
    return tensor.bytes(n > 0 ? tensor.volume() / n : 0);
  }
  if (goal.kind != GoalKind::deliver) return tensor.bytes(tensor.volume());
  const Table& table = program.tables[goal.table];
  const auto sites = static_cast<std::size_t>(program.spaces[table.space].size());
  std::vector<std::int64_t> sent(sites, 0), received(sites, 0);
  const std::int64_t row =
      tensor.shape.size() < 2 ? 1 : tensor.volume() / std::max<std::int64_t>(tensor.shape[0] * tensor.shape[1], 1);
  for (const Table::Row& r : table.rows) {
    if (r.from < sites) sent[r.from] += r.count * row;
    if (r.to < sites) received[r.to] += r.count * row;
  }
  std::int64_t most = 0;
  for (std::size_t k = 0; k < sites; ++k) most = std::max({most, sent[k], received[k]});
  return tensor.bytes(most);
}

}  // namespace weft::program
