#include "weft/program/expand_members.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "weft/core/error.hpp"

namespace weft::program {
namespace {

constexpr std::uint64_t kMostMembers = 1ull << 31;

std::uint64_t box_size(const Task& task) {
  std::uint64_t n = 1;
  for (const SetIndex& index : task.over) {
    if (index.hi < index.lo) form_fault(task.name, task.line, "a set index has a range that ends before it starts");
    n *= static_cast<std::uint64_t>(index.hi - index.lo);
    if (n > kMostMembers) throw limit_error(fmt::format("task {} expands to more than 2^31 plain tasks", task.name));
  }
  return n;
}

bool constant(const SiteRef& ref) {
  return std::ranges::all_of(ref.axes, [](const AxisRange& a) { return a.all || a.lo.constant(); });
}

}  // namespace

void form_fault(const std::string& name, int line, const std::string& message, const std::string& hint) {
  Diagnostic d;
  d.kind = ErrorKind::check_failed;
  d.message = line > 0 ? fmt::format("line {}: {}", line, message) : message;
  d.where.line = line;
  d.field = name;
  d.hint = hint;
  throw Error(std::move(d));
}

MemberWriter::MemberWriter(Expansion& expansion)
    : e_(expansion), p_(*expansion.program), chunks_(p_), shared_list_(p_.tasks.size(), kNone) {}

void MemberWriter::append(TaskId id, std::int64_t* env) {
  const Task& task = p_.tasks[id];
  task_ = &task;
  try {
    check_task(task);
    if (task.table != kNone) {
      append_table(task, env);
      return;
    }
    const std::uint64_t n = box_size(task);
    if (n == 0) return;
    for (const SetIndex& index : task.over) env[index.var] = index.lo;
    for (std::uint32_t ordinal = 0;; ++ordinal) {
      append_member(task, ordinal, env);
      std::size_t k = task.over.size();
      while (k > 0 && ++env[task.over[k - 1].var] == task.over[k - 1].hi) {
        env[task.over[k - 1].var] = task.over[k - 1].lo;
        --k;
      }
      if (k == 0) break;
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::check_failed || !error.diagnostics().front().field.empty()) throw;
    form_fault(task.name, task.line, error.diagnostics().front().message, error.diagnostics().front().hint);
  }
}

void MemberWriter::check_task(const Task& task) const {
  const auto single = [&](const SiteRef& ref, const char* what) {
    if (!single_site(p_, ref)) {
      throw check_error(fmt::format("{} names several sites of {}; give it an index", what, p_.spaces[ref.space].name));
    }
  };
  if (task.kind == Kind::compute) single(task.at, "the kernel's place");
  if (task.kind != Kind::move) return;
  if (task.what.buffer == kNone || task.into == kNone) throw check_error("the move names no data");
  if (p_.buffers[task.what.buffer].tensor != p_.buffers[task.into].tensor) {
    throw check_error(
        fmt::format("{} and {} hold different tensors", p_.buffers[task.what.buffer].name, p_.buffers[task.into].name));
  }
  if (task.table != kNone) {
    if (!task.over.empty()) throw check_error("a move by a table has no further indices");
    return;
  }
  if (task.cast != Cast::reduce) single(task.from, "the source");
  if (task.cast != Cast::multicast) single(task.to, "the destination");
}

void MemberWriter::append_table(const Task& task, std::int64_t* env) {
  const Table& table = p_.tables[task.table];
  const Space& space = p_.spaces[table.space];
  for (std::uint32_t r = 0; r < table.rows.size(); ++r) {
    const Table::Row& row = table.rows[r];
    if (row.from >= space.size() || row.to >= space.size()) {
      throw check_error(fmt::format("row {} of table {} goes from {} to {}, and {} has {} sites", r, table.name,
                                    row.from, row.to, space.name, space.size()));
    }
    Member m;
    m.src = space.site(row.from);
    m.dst = space.site(row.to);
    boxes_.bounds.clear();
    chunks_.append_row(task.what.buffer, table, r, boxes_);
    if (boxes_.bounds.empty() || (m.src == m.dst && task.what.buffer == task.into)) continue;
    m.bytes = bytes(chunks_.tensor_of(task.what.buffer), volume_of(boxes_));
    m.lane = lane(task, env);
    m.ordinal = r;
    push(m);
  }
}

void MemberWriter::append_member(const Task& task, std::uint32_t ordinal, const std::int64_t* env) {
  if (task.kind == Kind::move) append_move(task, ordinal, env);
  if (task.kind == Kind::compute) append_compute(task, ordinal, env);
  if (task.kind == Kind::control) append_control(task, ordinal, env);
}

void MemberWriter::append_compute(const Task& task, std::uint32_t ordinal, const std::int64_t* env) {
  Member m;
  m.src = m.dst = site_of(p_, task.at, env);
  m.ordinal = ordinal;
  for (const ChunkRef& chunk : task.reads) {
    boxes_.bounds.clear();
    chunks_.append(chunk, env, m.src, boxes_);
  }
  for (const auto* chunks : {&task.writes, &task.adds}) {
    for (const ChunkRef& chunk : *chunks) {
      boxes_.bounds.clear();
      chunks_.append(chunk, env, m.src, boxes_);
      m.bytes += bytes(chunks_.tensor_of(chunk.buffer), volume_of(boxes_));
    }
  }
  push(m);
}

void MemberWriter::append_move(const Task& task, std::uint32_t ordinal, const std::int64_t* env) {
  Member m;
  m.ordinal = ordinal;
  if (task.cast != Cast::reduce) m.src = site_of(p_, task.from, env);
  if (task.cast != Cast::multicast) m.dst = site_of(p_, task.to, env);
  if (task.cast == Cast::one && m.src == m.dst && task.what.buffer == task.into) return;
  boxes_.bounds.clear();
  if (task.cast == Cast::reduce) {
    chunks_.append(task.what, env, m.dst, boxes_);
  } else {
    chunks_.append(task.what, env, m.src, boxes_);
  }
  m.bytes = bytes(chunks_.tensor_of(task.what.buffer), volume_of(boxes_));
  m.lane = lane(task, env);
  if (task.cast == Cast::one) {
    push(m);
  } else {
    append_fan(task, m, env);
  }
}

void MemberWriter::append_fan(const Task& task, Member m, const std::int64_t* env) {
  const bool multicast = task.cast == Cast::multicast;
  scratch_.clear();
  append_sites(p_, multicast ? task.to : task.from, env, scratch_);
  if (multicast && task.what.buffer == task.into) std::erase(scratch_, m.src);
  if (scratch_.empty()) return;
  (multicast ? m.dst : m.src) = scratch_.front();
  m.list = static_cast<std::uint32_t>(e_.lists.size());
  e_.lists.push_back(scratch_);
  push(m);
}

void MemberWriter::append_control(const Task& task, std::uint32_t ordinal, const std::int64_t* env) {
  Member m;
  m.ordinal = ordinal;
  m.list = list_for(task, task.at, env);
  if (e_.lists[m.list].empty()) throw check_error("it names no sites");
  m.src = m.dst = e_.lists[m.list].front();
  push(m);
}

std::uint32_t MemberWriter::list_for(const Task& task, const SiteRef& ref, const std::int64_t* env) {
  std::uint32_t& shared = shared_list_[static_cast<std::size_t>(&task - p_.tasks.data())];
  const bool same = ref.space == kNone || constant(ref);
  if (same && shared != kNone) return shared;
  const auto list = static_cast<std::uint32_t>(e_.lists.size());
  if (ref.space == kNone) {
    e_.lists.push_back(all_sites());
  } else {
    e_.lists.emplace_back();
    append_sites(p_, ref, env, e_.lists.back());
  }
  if (same) shared = list;
  return list;
}

const std::vector<SiteId>& MemberWriter::all_sites() {
  if (!all_.empty()) return all_;
  for (const Space& space : p_.spaces) {
    for (std::int64_t k = 0; k < space.size(); ++k) all_.push_back(space.site(k));
  }
  std::ranges::sort(all_);
  all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
  return all_;
}

void MemberWriter::push(const Member& member) {
  if (e_.members.size() >= kMostMembers) throw limit_error("the program expands to more than 2^31 plain tasks");
  e_.members.push_back(member);
}

std::int64_t MemberWriter::bytes(const Tensor& tensor, std::int64_t cells) {
  if (&tensor != last_tensor_ || cells != last_cells_) {
    last_tensor_ = &tensor;
    last_cells_ = cells;
    last_bytes_ = tensor.bytes(cells).value();
  }
  return last_bytes_;
}

std::int32_t MemberWriter::lane(const Task& task, const std::int64_t* env) const {
  if (!task.lane) return -1;
  const std::int64_t lane = task.lane->eval(env);
  if (lane < 0 || lane > std::numeric_limits<std::int32_t>::max())
    throw check_error(fmt::format("lane {} does not exist; lanes count from 0", lane));
  return static_cast<std::int32_t>(lane);
}

}  // namespace weft::program
