#include "weft/program/expand_chunk.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "weft/core/error.hpp"

namespace weft::program {
namespace {

void outside(const std::string& name, std::int64_t lo, std::int64_t hi, std::int64_t size, std::size_t axis) {
  const std::string found = hi == lo + 1 ? fmt::format("index {}", lo) : fmt::format("{}..{}", lo, hi - 1);
  throw check_error(fmt::format("{} of axis {} lies outside {}, which has {}", found, axis, name, size),
                    fmt::format("0..{} is allowed; (…)%{} wraps around", size - 1, size));
}

void wrong_rank(const std::string& name, std::size_t found, std::size_t wanted) {
  throw check_error(
      fmt::format("{} has {} {}, the index names {}", name, wanted, wanted == 1 ? "axis" : "axes", found));
}

void check_axes(const Program& program, const SiteRef& ref) {
  if (ref.space == kNone || ref.space >= program.spaces.size()) throw check_error("it names no sites");
  const Space& space = program.spaces[ref.space];
  if (!ref.axes.empty() && ref.axes.size() != space.shape.size()) {
    wrong_rank(space.name, ref.axes.size(), space.shape.size());
  }
}

}  // namespace

std::int64_t volume_of(std::span<const std::int64_t> box) {
  std::int64_t v = 1;
  for (std::size_t k = 0; k < box.size(); k += 2) v *= std::max<std::int64_t>(box[k + 1] - box[k], 0);
  return v;
}

std::int64_t volume_of(const FlatBoxes& boxes) {
  std::int64_t v = 0;
  for (std::size_t k = 0; k < boxes.count(); ++k) v += volume_of(boxes.box(k));
  return v;
}

std::string box_text(std::span<const std::int64_t> box) {
  std::string text = "[";
  for (std::size_t k = 0; k < box.size(); k += 2) {
    if (k > 0) text += ',';
    text += box[k + 1] == box[k] + 1 ? fmt::format("{}", box[k]) : fmt::format("{}..{}", box[k], box[k + 1] - 1);
  }
  return text + "]";
}

std::string chunk_text(const Program& program, BufferId buffer, std::span<const std::int64_t> box) {
  return program.buffers[buffer].name + box_text(box);
}

std::int64_t flat_in(const Space& space, SiteId site) {
  if (space.listed.empty()) {
    const std::int64_t flat = static_cast<std::int64_t>(site) - static_cast<std::int64_t>(space.first);
    return flat >= 0 && flat < space.size() ? flat : -1;
  }
  const auto found = std::ranges::find(space.listed, site);
  return found == space.listed.end() ? -1 : found - space.listed.begin();
}

bool single_site(const Program& program, const SiteRef& ref) {
  check_axes(program, ref);
  const Space& space = program.spaces[ref.space];
  if (ref.axes.empty()) return space.size() == 1;
  for (std::size_t k = 0; k < ref.axes.size(); ++k) {
    if (ref.axes[k].all ? space.shape[k] != 1 : ref.axes[k].count != 1) return false;
  }
  return true;
}

SiteId site_of(const Program& program, const SiteRef& ref, const std::int64_t* env) {
  const Space& space = program.spaces[ref.space];
  std::int64_t flat = 0;
  for (std::size_t k = 0; k < ref.axes.size(); ++k) {
    const std::int64_t at = ref.axes[k].all ? 0 : ref.axes[k].lo.eval(env);
    if (at < 0 || at >= space.shape[k]) outside(space.name, at, at + 1, space.shape[k], k);
    flat = flat * space.shape[k] + at;
  }
  return space.site(flat);
}

void append_sites(const Program& program, const SiteRef& ref, const std::int64_t* env, std::vector<SiteId>& out) {
  check_axes(program, ref);
  const Space& space = program.spaces[ref.space];
  if (ref.axes.empty()) {
    for (std::int64_t flat = 0; flat < space.size(); ++flat) out.push_back(space.site(flat));
    return;
  }
  std::vector<std::int64_t> lo(ref.axes.size()), hi(ref.axes.size());
  for (std::size_t k = 0; k < ref.axes.size(); ++k) {
    const AxisRange& axis = ref.axes[k];
    lo[k] = axis.all ? 0 : axis.lo.eval(env);
    hi[k] = axis.all ? space.shape[k] : lo[k] + axis.count;
    if (lo[k] < 0 || hi[k] > space.shape[k] || hi[k] < lo[k]) outside(space.name, lo[k], hi[k], space.shape[k], k);
    if (hi[k] == lo[k]) return;
  }
  for (std::vector<std::int64_t> at = lo;;) {
    std::int64_t flat = 0;
    for (std::size_t k = 0; k < at.size(); ++k) flat = flat * space.shape[k] + at[k];
    out.push_back(space.site(flat));
    std::size_t k = at.size();
    while (k > 0 && ++at[k - 1] == hi[k - 1]) {
      at[k - 1] = lo[k - 1];
      --k;
    }
    if (k == 0) return;
  }
}

ChunkEvaluator::ChunkEvaluator(const Program& program) : program_(program), index_(2 * program.tables.size()) {}

void ChunkEvaluator::append(const ChunkRef& chunk, const std::int64_t* env, SiteId site, FlatBoxes& out) {
  if (chunk.by == ChunkRef::By::box) {
    append_box(chunk, env, out);
    return;
  }
  const Table& table = program_.tables[chunk.table];
  const std::int64_t flat = flat_in(program_.spaces[table.space], site);
  if (flat < 0) throw check_error(fmt::format("its site is not among the sites of table {}", table.name));
  const RowIndex& rows = index(chunk.table, chunk.by == ChunkRef::By::table_from);
  for (std::uint32_t k = rows.start[static_cast<std::size_t>(flat)]; k < rows.start[static_cast<std::size_t>(flat) + 1];
       ++k) {
    append_row(chunk.buffer, table, rows.row[k], out);
  }
}

void ChunkEvaluator::append_box(const ChunkRef& chunk, const std::int64_t* env, FlatBoxes& out) {
  const Tensor& tensor = tensor_of(chunk.buffer);
  out.rank = tensor.shape.size();
  if (!chunk.box.empty() && chunk.box.size() != out.rank) {
    wrong_rank(program_.buffers[chunk.buffer].name, chunk.box.size(), out.rank);
  }
  for (std::size_t k = 0; k < out.rank; ++k) {
    std::int64_t lo = 0, hi = tensor.shape[k];
    if (!chunk.box.empty() && !chunk.box[k].all) {
      lo = chunk.box[k].lo.eval(env);
      hi = lo + chunk.box[k].count;
    }
    if (lo < 0 || hi > tensor.shape[k] || hi < lo) outside(tensor.name, lo, hi, tensor.shape[k], k);
    out.bounds.push_back(lo);
    out.bounds.push_back(hi);
  }
}

void ChunkEvaluator::append_row(BufferId buffer, const Table& table, std::uint32_t row, FlatBoxes& out) {
  const Tensor& tensor = tensor_of(buffer);
  const Table::Row& r = table.rows[row];
  out.rank = tensor.shape.size();
  if (out.rank < 2) throw check_error(fmt::format("{} has one axis; a table's pieces need two", tensor.name));
  if (r.count == 0) return;
  if (r.lead >= tensor.shape[0]) outside(tensor.name, r.lead, r.lead + std::int64_t{1}, tensor.shape[0], 0);
  const std::int64_t end = r.first + r.count;
  if (r.first < 0 || end > tensor.shape[1] || r.count < 0) outside(tensor.name, r.first, end, tensor.shape[1], 1);
  out.bounds.insert(out.bounds.end(), {r.lead, std::int64_t{r.lead} + 1, r.first, end});
  for (std::size_t k = 2; k < out.rank; ++k) out.bounds.insert(out.bounds.end(), {0, tensor.shape[k]});
}

const ChunkEvaluator::RowIndex& ChunkEvaluator::index(TableId table, bool from) {
  RowIndex& index = index_[2 * table + (from ? 0 : 1)];
  if (!index.start.empty()) return index;
  const Table& t = program_.tables[table];
  const auto sites = static_cast<std::size_t>(program_.spaces[t.space].size());
  const auto end = [from](const Table::Row& row) { return static_cast<std::size_t>(from ? row.from : row.to); };
  index.start.assign(sites + 1, 0);
  for (const Table::Row& row : t.rows) {
    if (end(row) >= sites)
      outside(program_.spaces[t.space].name, row.from, row.to, static_cast<std::int64_t>(sites), 0);
    ++index.start[end(row) + 1];
  }
  for (std::size_t k = 0; k < sites; ++k) index.start[k + 1] += index.start[k];
  index.row.resize(t.rows.size());
  std::vector<std::uint32_t> next(index.start.begin(), index.start.end() - 1);
  for (std::uint32_t r = 0; r < t.rows.size(); ++r) index.row[next[end(t.rows[r])]++] = r;
  return index;
}

void set_indices(const Task& task, std::uint32_t ordinal, std::int64_t* env) {
  std::int64_t rest = ordinal;
  for (std::size_t k = task.over.size(); k > 0; --k) {
    const SetIndex& index = task.over[k - 1];
    const std::int64_t extent = index.hi - index.lo;
    env[index.var] = index.lo + rest % extent;
    rest /= extent;
  }
}

std::int64_t Box::volume() const {
  std::int64_t v = 1;
  for (std::size_t k = 0; k < lo.size(); ++k) v *= std::max<std::int64_t>(hi[k] - lo[k], 0);
  return v;
}

void append_boxes(const FlatBoxes& flat, std::vector<Box>& out) {
  for (std::size_t k = 0; k < flat.count(); ++k) {
    Box box;
    for (std::size_t axis = 0; axis < flat.rank; ++axis) {
      box.lo.push_back(flat.box(k)[2 * axis]);
      box.hi.push_back(flat.box(k)[2 * axis + 1]);
    }
    out.push_back(std::move(box));
  }
}

void boxes_of(const Program& p, const ChunkRef& chunk, const std::int64_t* env, std::int64_t flat_site,
              std::vector<Box>& out) {
  FlatBoxes flat;
  ChunkEvaluator evaluator(p);
  const SiteId site = chunk.by == ChunkRef::By::box ? 0 : p.spaces[p.tables[chunk.table].space].site(flat_site);
  evaluator.append(chunk, env, site, flat);
  append_boxes(flat, out);
}

void sites_of(const Program& p, const SiteRef& ref, const std::int64_t* env, std::vector<SiteId>& out) {
  append_sites(p, ref, env, out);
}

}  // namespace weft::program
