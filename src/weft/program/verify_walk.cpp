#include "weft/program/verify_walk.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/program/expand_bind.hpp"

namespace weft::program {

Walk::Walk(const Expansion& e, const std::vector<Cells>& cells, Algebra& algebra, std::uint32_t sites)
    : e_(e),
      p_(*e.program),
      cells_(cells),
      algebra_(algebra),
      sites_(sites),
      reduced_(p_.tensors.size(), 0),
      meaning_(p_, cells, algebra),
      chunks_(p_),
      env_(std::max<std::size_t>(p_.vars.size(), 1), 0) {
  if (p_.buffers.size() * sites_ >= (1ull << 32))
    throw limit_error("the program has more than 2^32 places (buffers times sites)");
  for (const GoalAt& at : goals_of(e)) {
    if (reducing(at.goal->kind)) reduced_[tensor_of(at.goal->buffer)] = 1;
  }
  place_starts();
}

void Walk::place_starts() {
  const std::vector<std::int64_t> zero(env_.size(), 0);
  for (const Placement& start : p_.start) {
    const BufferId buffer = start.chunk.buffer;
    for_each_placement(p_, start, zero.data(), [&](const std::int64_t*, SiteId site, const FlatBoxes& flat) {
      for (std::size_t k = 0; k < flat.count(); ++k) {
        cells_[tensor_of(buffer)].runs(flat.box(k), [&](std::uint64_t a, std::uint64_t b) {
          starts_.push_back({region(buffer, site), static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
        });
      }
    });
  }
  std::ranges::sort(starts_, {}, [](const StartRun& r) { return std::pair(r.region, r.first); });
  start_of_.reserve(starts_.empty() ? 0 : std::min<std::size_t>(starts_.size(), 1u << 24));
  for (std::uint32_t k = 0; k < starts_.size();) {
    std::uint32_t end = k;
    while (end < starts_.size() && starts_[end].region == starts_[k].region) ++end;
    start_of_.emplace(starts_[k].region, std::pair(k, end));
    k = end;
  }
}

bool Walk::starts_at(std::uint64_t region, std::uint64_t cell) const {
  const auto found = start_of_.find(region);
  if (found == start_of_.end()) return false;
  const auto begin = starts_.begin() + found->second.first, end = starts_.begin() + found->second.second;
  auto run = std::upper_bound(begin, end, cell, [](std::uint64_t c, const StartRun& r) { return c < r.first; });
  for (int look = 0; run != begin && look < 8; ++look) {  // runs of several starts may overlap
    --run;
    if (cell < run->last) return true;
  }
  return false;
}

bool Walk::untouched_start(std::uint64_t place, std::uint64_t cell) const {
  return starts_at(place, cell) && (start_written_.empty() || !start_written_.contains(key(place, cell)));
}

bool Walk::peek(BufferId buffer, SiteId site, std::uint64_t cell, Value& value) {
  const std::uint64_t place = region(buffer, site);
  if (untouched_start(place, cell)) {
    value = start_value(tensor_of(buffer), site);
    return true;
  }
  const auto found = state_.find(key(place, cell));
  if (found != state_.end()) value = found->second.value;
  return found != state_.end();
}

bool Walk::read(BufferId buffer, SiteId site, std::uint64_t cell, Value& value) {
  const std::uint64_t place = region(buffer, site);
  if (untouched_start(place, cell)) {
    value = start_value(tensor_of(buffer), site);
    if (order_ != nullptr) start_reads_.push_back({key(place, cell), member_});
    return true;
  }
  if (const auto found = state_.find(key(place, cell)); found != state_.end()) {
    Cell& at = found->second;
    value = at.value;
    if (order_ == nullptr && !keep_readers_) return true;
    if (order_ != nullptr && at.writer != member_ &&
        !order_->ordered(instance_of(e_, at.writer), at.writer, instance_, member_)) {
      race(at.writer, "reads {} that {} writes, and no edge orders them (read after write)", buffer, site, cell);
    }
    if (at.readers == kNone || readers_[at.readers].member != member_) {
      readers_.push_back({member_, at.readers});
      at.readers = static_cast<std::uint32_t>(readers_.size() - 1);
    }
    return true;
  }
  fault(fmt::format("reads {}, and nothing lies there", piece_text(buffer, site, cell)));
  return false;
}

void Walk::write(BufferId buffer, SiteId site, std::uint64_t cell, Value value, bool add) {
  const std::uint64_t place = region(buffer, site);
  const auto [found, fresh] = state_.try_emplace(key(place, cell));
  Cell& at = found->second;
  if (fresh) {
    at.value = value;
    if (starts_at(place, cell)) {
      start_written_.emplace(key(place, cell), member_);
      if (add) at.value = algebra_.add(start_value(tensor_of(buffer), site), value);
    }
  } else {
    if (order_ != nullptr) check_write(at, buffer, site, cell, add);
    if (at.writer != member_) first_writer_.try_emplace(key(place, cell), at.writer);
    at.value = add ? algebra_.add(at.value, value) : value;
  }
  at.writer = member_;
  at.readers = kNone;
}

void Walk::check_write(const Cell& cell, BufferId buffer, SiteId site, std::uint64_t at, bool add) {
  for (std::uint32_t r = cell.readers; r != kNone; r = readers_[r].next) {
    const std::uint32_t reader = readers_[r].member;
    if (reader == member_ || order_->ordered(instance_of(e_, reader), reader, instance_, member_)) continue;
    race(reader, "writes {} that {} still reads, and no edge orders them (write after read)", buffer, site, at);
    return;
  }
  if (cell.writer == member_ || order_->ordered(instance_of(e_, cell.writer), cell.writer, instance_, member_)) return;
  race(cell.writer,
       add ? "adds to {} as {} does, and no edge orders them (write after write)"
           : "writes {} that {} writes too, and no edge orders them (write after write)",
       buffer, site, at);
}

void Walk::resolve_start_reads() {
  if (start_written_.empty() || faults_.size() >= most_) return;
  for (const StartRead& r : start_reads_) {
    const auto found = start_written_.find(r.key);
    if (found == start_written_.end() || found->second == r.member) continue;
    member_ = found->second;
    instance_ = instance_of(e_, member_);
    if (order_->ordered(instance_of(e_, r.member), r.member, instance_, member_)) continue;
    const std::uint64_t place = r.key >> 32;
    race(r.member, "writes {} that {} still reads, and no edge orders them (write after read)",
         static_cast<BufferId>(place / sites_), static_cast<SiteId>(place % sites_), r.key & 0xffffffffu);
    if (faults_.size() >= most_) return;
  }
}

void Walk::run(Order* order, std::size_t most) {
  order_ = order;
  most_ = most;
  state_.reserve(std::min<std::size_t>(e_.members.size(), 1u << 22));
  std::vector<GoalAt> goals = goals_of(e_);
  std::size_t next = 0;
  for (instance_ = 0; instance_ <= e_.instances.size() && faults_.size() < most_; ++instance_) {
    for (; next < goals.size() && goals[next].after == instance_; ++next) check_goal(goals[next]);
    if (instance_ == e_.instances.size()) break;
    const Instance& i = e_.instances[instance_];
    const Task& task = e_.task(i);
    if (task.kind == Kind::control) continue;
    if (task.kind == Kind::move && task.cast != Cast::reduce) {
      moves(task, i);
      continue;
    }
    for (member_ = i.first; member_ < i.first + i.count && faults_.size() < most_; ++member_) walk_member(task);
  }
  if (order_ != nullptr) resolve_start_reads();
  std::ranges::stable_sort(faults_, {}, &PlacedFault::member);
}

const std::vector<std::int64_t>& Walk::env() {
  if (!env_ready_) e_.environment(e_.instances[instance_], e_.members[member_], env_.data());
  env_ready_ = true;
  return env_;
}

void Walk::walk_member(const Task& task) {
  env_ready_ = false;
  if (task.kind == Kind::move) {
    reduce(task);
  } else {
    compute(task);
  }
}

/// Written cells lie scattered in memory: each move is looked at some members ahead, so that its cell is at hand in
/// time.
void Walk::moves(const Task& task, const Instance& i) {
  const std::uint32_t ahead = std::min<std::uint32_t>(kPlanned - 1, i.count > 0 ? i.count - 1 : 0);
  for (std::uint32_t k = 0; k < i.count + ahead && faults_.size() < most_; ++k) {
    if (k < i.count) plan(task, i, i.first + k, planned_[k % kPlanned]);
    if (k < ahead) continue;
    member_ = i.first + k - ahead;
    env_ready_ = false;
    const Member& m = e_.members[member_];
    for (const SiteId to : destinations_of(e_, task, m)) carry(task, m.src, to, planned_[(k - ahead) % kPlanned]);
  }
}

void Walk::plan(const Task& task, const Instance& i, std::uint32_t member, Runs& out) {
  const Member& m = e_.members[member];
  out.clear();
  boxes_.bounds.clear();
  if (task.table != kNone) {
    chunks_.append_row(task.what.buffer, p_.tables[task.table], m.ordinal, boxes_);
  } else {
    e_.environment(i, m, env_.data());
    chunks_.append(task.what, env_.data(), m.src, boxes_);
  }
  for (std::size_t k = 0; k < boxes_.count(); ++k) {
    cells_[tensor_of(task.what.buffer)].runs(boxes_.box(k), [&](std::uint64_t a, std::uint64_t b) {
      if (a < b) out.emplace_back(a, b);
    });
  }
  if (!out.empty()) state_.prefetch(key(region(task.into, m.dst), out.front().first));
}

void Walk::carry(const Task& task, SiteId from, SiteId to, const Runs& runs) {
  for (const auto& [first, last] : runs) {
    for (std::uint64_t cell = first; cell < last; ++cell) {
      Value value = 0;
      if (read(task.what.buffer, from, cell, value)) write(task.into, to, cell, value, false);
    }
  }
}

void Walk::reduce(const Task& task) {
  const Member& m = e_.members[member_];
  boxes_.bounds.clear();
  chunks_.append(task.what, env().data(), m.dst, boxes_);
  for (std::size_t k = 0; k < boxes_.count(); ++k) {
    cells_[tensor_of(task.what.buffer)].runs(boxes_.box(k), [&](std::uint64_t a, std::uint64_t b) {
      for (std::uint64_t cell = a; cell < b; ++cell) {
        Value sum = 0;
        bool any = false;
        for (SiteId from : e_.lists[m.list]) {
          Value value = 0;
          if (!read(task.what.buffer, from, cell, value)) continue;
          sum = any ? algebra_.add(sum, value) : value;
          any = true;
        }
        if (any) write(task.into, m.dst, cell, sum, false);
      }
    });
  }
}

void Walk::each_cell(const std::function<void(BufferId, SiteId, std::uint64_t, bool)>& visit) const {
  const auto at = [&](std::uint64_t place, std::uint64_t cell, bool start) {
    visit(static_cast<BufferId>(place / sites_), static_cast<SiteId>(place % sites_), cell, start);
  };
  for (const auto& [place, range] : start_of_) {
    std::uint64_t done = 0;
    for (std::uint32_t k = range.first; k < range.second; ++k) {
      for (std::uint64_t cell = std::max<std::uint64_t>(done, starts_[k].first); cell < starts_[k].last; ++cell)
        at(place, cell, true);
      done = std::max<std::uint64_t>(done, starts_[k].last);
    }
  }
  for (const auto& [k, cell] : state_) {
    if (!start_written_.contains(k)) at(k >> 32, k & 0xffffffffu, false);
  }
}

void Walk::each_life(const VisitLife& visit) const {
  std::vector<std::uint32_t> users;
  for (const auto& [k, cell] : state_) {
    if (start_written_.contains(k)) continue;
    users.assign(1, cell.writer);
    for (std::uint32_t r = cell.readers; r != kNone; r = readers_[r].next) {
      if (readers_[r].member != cell.writer) users.push_back(readers_[r].member);
    }
    const auto first = first_writer_.find(k);
    const std::uint64_t place = k >> 32;
    visit(static_cast<BufferId>(place / sites_), static_cast<SiteId>(place % sites_), k & 0xffffffffu,
          first == first_writer_.end() ? cell.writer : first->second, users);
  }
}

std::string Walk::piece_text(BufferId buffer, SiteId site, std::uint64_t cell) const {
  std::vector<std::int64_t> box;
  cells_[tensor_of(buffer)].box_of(cell, box);
  return fmt::format("{} at {}", chunk_text(p_, buffer, box), site_text(p_, site));
}

void Walk::fault(std::string what) {
  const std::uint64_t place = goal_phase_ ? ~0ull : member_;
  for (const PlacedFault& f : faults_) {
    if (f.member == place) return;  // one a task
  }
  if (goal_phase_) {
    faults_.push_back({place, {"goal", std::move(what), unmet_.at.goal->line}});
  } else {
    const Task& task = e_.task(e_.instances[instance_]);
    faults_.push_back({place, {member_text(e_, instance_, member_), std::move(what), task.line}});
  }
}

void Walk::race(std::uint32_t before, const char* how, BufferId buffer, SiteId site, std::uint64_t cell) {
  fault(
      fmt::format(fmt::runtime(how), piece_text(buffer, site, cell), member_text(e_, instance_of(e_, before), before)));
}

}  // namespace weft::program
