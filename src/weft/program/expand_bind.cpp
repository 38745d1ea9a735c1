#include "weft/program/expand_bind.hpp"

#include <algorithm>

#include "weft/program/expand_chunk.hpp"

namespace weft::program {

bool is_set(const Task& task) {
  return !task.over.empty() || task.table != kNone;
}

bool binds_all(const Task& a, const Task& b) {
  const auto alone = [](const Task& t) {
    return !is_set(t) || (t.kind == Kind::control && t.control != Control::launch);
  };
  return alone(a) || alone(b);
}

std::span<const SiteId> sources_of(const Expansion& e, const Task& task, const Member& m) {
  if (m.list != kNone && (task.kind == Kind::control || task.cast == Cast::reduce)) return e.lists[m.list];
  return {&m.src, 1};
}

std::span<const SiteId> destinations_of(const Expansion& e, const Task& task, const Member& m) {
  if (m.list != kNone && (task.kind == Kind::control || task.cast == Cast::multicast)) return e.lists[m.list];
  return {&m.dst, 1};
}

void Expansion::environment(const Instance& i, const Member& m, std::int64_t* env) const {
  std::copy_n(environments.data() + i.environment, program->vars.size(), env);
  const Task& t = task(i);
  if (t.table == kNone) set_indices(t, m.ordinal, env);
}

void Expansion::sites_of(const Member& m, std::vector<SiteId>& out) const {
  out.clear();
  out.push_back(m.src);
  if (m.dst != m.src) out.push_back(m.dst);
  if (m.list == kNone) return;
  for (SiteId s : lists[m.list]) {
    if (s != m.src && s != m.dst) out.push_back(s);
  }
}

namespace {

template <class Visit>
void ends_of(const Expansion& e, const Task& task, const Member& m, MembersBySite::End end, Visit&& visit) {
  if (end == MembersBySite::End::source) {
    for (SiteId s : sources_of(e, task, m)) visit(s);
  } else if (end == MembersBySite::End::destination) {
    for (SiteId s : destinations_of(e, task, m)) visit(s);
  } else if (m.list == kNone) {
    visit(m.src);
    if (m.dst != m.src) visit(m.dst);
  } else {
    std::vector<SiteId> sites;
    e.sites_of(m, sites);
    for (SiteId s : sites) visit(s);
  }
}

}  // namespace

MembersBySite::MembersBySite(const Expansion& e, InstanceId instance, std::uint32_t sites, End end) {
  const Instance& i = e.instances[instance];
  const Task& task = e.task(i);
  SiteId low = sites, high = 0;
  std::size_t entries = 0;
  for (const Member& m : e.of(i)) {
    ends_of(e, task, m, end, [&](SiteId s) {
      low = std::min(low, s);
      high = std::max(high, s);
      ++entries;
    });
  }
  if (entries == 0) return;
  low_ = low;
  member_.resize(entries);
  const std::size_t width = std::size_t{high} - low + 1;
  if (width > 8 * entries + 64) {
    sparse(e, i, end);
    return;
  }
  start_.assign(width + 1, 0);
  for (const Member& m : e.of(i)) ends_of(e, task, m, end, [&](SiteId s) { ++start_[s - low + 1]; });
  for (std::size_t k = 0; k < width; ++k) start_[k + 1] += start_[k];
  std::vector<std::uint32_t> next(start_.begin(), start_.end() - 1);
  for (std::uint32_t m = i.first; m < i.first + i.count; ++m) {
    ends_of(e, task, e.members[m], end, [&](SiteId s) { member_[next[s - low]++] = m; });
  }
}

void MembersBySite::sparse(const Expansion& e, const Instance& i, End end) {
  std::vector<std::pair<SiteId, std::uint32_t>> entries;
  for (std::uint32_t m = i.first; m < i.first + i.count; ++m) {
    ends_of(e, e.task(i), e.members[m], end, [&](SiteId s) { entries.emplace_back(s, m); });
  }
  std::sort(entries.begin(), entries.end());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (site_.empty() || site_.back() != entries[k].first) {
      site_.push_back(entries[k].first);
      start_.push_back(static_cast<std::uint32_t>(k));
    }
    member_[k] = entries[k].second;
  }
  start_.push_back(static_cast<std::uint32_t>(entries.size()));
}

std::span<const std::uint32_t> MembersBySite::at(SiteId site) const {
  std::size_t k = 0;
  if (site_.empty()) {
    if (site < low_ || std::size_t{site} - low_ + 1 >= start_.size()) return {};
    k = site - low_;
  } else {
    const auto found = std::lower_bound(site_.begin(), site_.end(), site);
    if (found == site_.end() || *found != site) return {};
    k = static_cast<std::size_t>(found - site_.begin());
  }
  return {member_.data() + start_[k], start_[k + 1] - start_[k]};
}

Binding::Binding(const Expansion& expansion, std::uint32_t sites)
    : e_(expansion), sites_(sites), any_(expansion.instances.size()), arriving_(expansion.instances.size()) {}

const MembersBySite& Binding::table(InstanceId instance, MembersBySite::End end) {
  auto& slot = (end == MembersBySite::End::any ? any_ : arriving_)[instance];
  if (!slot) slot = std::make_unique<MembersBySite>(e_, instance, sites_, end);
  return *slot;
}

void Binding::forget(InstanceId instance) {
  any_[instance].reset();
  arriving_[instance].reset();
}

bool Binding::bound(InstanceId bi, std::uint32_t b, const InstanceEdge& edge, std::uint32_t a) const {
  const Instance& on = e_.instances[edge.on];
  if (a < on.first || a >= on.first + on.count) return false;
  if (edge.all) return true;
  const Member &from = e_.members[a], &to = e_.members[b];
  const Task &ta = e_.task(on), &tb = e_.task(e_.instances[bi]);
  const auto meet = [](std::span<const SiteId> x, std::span<const SiteId> y) {
    return std::ranges::find_first_of(x, y) != x.end();
  };
  if (edge.kind == Edge::Kind::streams) return meet(destinations_of(e_, ta, from), sources_of(e_, tb, to));
  return meet(sources_of(e_, ta, from), sources_of(e_, tb, to)) ||
         meet(sources_of(e_, ta, from), destinations_of(e_, tb, to)) ||
         meet(destinations_of(e_, ta, from), sources_of(e_, tb, to)) ||
         meet(destinations_of(e_, ta, from), destinations_of(e_, tb, to));
}

bool for_each_binding(const Expansion& e, InstanceId b, const InstanceEdge& edge, std::uint32_t sites,
                      const std::function<void(std::uint32_t, std::uint32_t)>& pair) {
  if (edge.all) return false;
  const Instance& i = e.instances[b];
  Binding binding(e, sites);
  for (std::uint32_t m = i.first; m < i.first + i.count; ++m) {
    binding.each(b, m, edge, [&](std::uint32_t a) { pair(m, a); });
  }
  return true;
}

}  // namespace weft::program
