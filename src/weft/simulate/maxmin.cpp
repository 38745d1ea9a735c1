#include "weft/simulate/maxmin.hpp"

#include <algorithm>
#include <queue>

namespace weft::simulate {

MaxMin::MaxMin(std::uint32_t resources, std::span<const std::uint32_t> first, std::span<const Use> uses,
               std::span<const double> weights)
    : first_(first), uses_(uses), weight_(weights), users_(resources), position_(uses.size()), owner_(uses.size()) {
  const std::size_t n = weights.size();
  active_.assign(n, 0);
  in_part_.assign(n, 0);
  frozen_.assign(n, 0);
  rate_.assign(n, 0);
  old_.assign(n, 0);
  bottleneck_.assign(n, ~0u);
  marked_.assign(resources, 0);
  seen_resource_.assign(resources, 0);
  left_.assign(resources, 0);
  demand_.assign(resources, 0);
  open_.assign(resources, 0);
  for (std::uint32_t u = 0; u < n; ++u) {
    for (std::uint32_t k = first_[u]; k < first_[u + 1]; ++k) owner_[k] = u;
  }
}

void MaxMin::mark(std::uint32_t user) {
  for (std::uint32_t k = first_[user]; k < first_[user + 1]; ++k) {
    const std::uint32_t r = uses_[k].resource;
    if (marked_[r] == 0) {
      marked_[r] = 1;
      dirty_.push_back(r);
    }
  }
}

void MaxMin::activate(std::uint32_t user) {
  if (active_[user] != 0) return;
  active_[user] = 1;
  rate_[user] = 0;
  for (std::uint32_t k = first_[user]; k < first_[user + 1]; ++k) {
    auto& list = users_[uses_[k].resource];
    position_[k] = static_cast<std::uint32_t>(list.size());
    list.push_back(k);
  }
  mark(user);
}

void MaxMin::deactivate(std::uint32_t user) {
  if (active_[user] == 0) return;
  active_[user] = 0;
  rate_[user] = 0;
  for (std::uint32_t k = first_[user]; k < first_[user + 1]; ++k) {
    auto& list = users_[uses_[k].resource];
    const std::uint32_t last = list.back();
    list[position_[k]] = last;
    position_[last] = position_[k];
    list.pop_back();
  }
  mark(user);
}

void MaxMin::join(std::uint32_t user) {
  if (in_part_[user] != 0) return;
  in_part_[user] = 1;
  old_[user] = rate_[user];
  part_users_.push_back(user);
}

/// Users that a marked resource bounds, and those that have no rate yet.
void MaxMin::begin_local() {
  part_users_.clear();
  for (std::uint32_t r : dirty_) {
    for (std::uint32_t k : users_[r]) {
      const std::uint32_t u = owner_[k];
      if (rate_[u] == 0 || bottleneck_[u] == r) join(u);
    }
  }
}

/// Grows the part to the whole of what is connected with it.
void MaxMin::collect_part() {
  std::vector<std::uint32_t> reached = part_resources_;
  for (std::uint32_t r : reached) seen_resource_[r] = 1;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    for (std::uint32_t k : users_[reached[next]]) {
      const std::uint32_t u = owner_[k];
      join(u);
      for (std::uint32_t j = first_[u]; j < first_[u + 1]; ++j) {
        if (seen_resource_[uses_[j].resource] != 0) continue;
        seen_resource_[uses_[j].resource] = 1;
        reached.push_back(uses_[j].resource);
      }
    }
  }
  for (std::uint32_t r : reached) seen_resource_[r] = 0;
}

/// The resources of the part's users, with the time that users outside leave of each.
void MaxMin::gather_resources() {
  part_resources_.clear();
  for (std::uint32_t u : part_users_) {
    frozen_[u] = 0;
    for (std::uint32_t k = first_[u]; k < first_[u + 1]; ++k) {
      const std::uint32_t r = uses_[k].resource;
      if (seen_resource_[r] != 0) continue;
      seen_resource_[r] = 1;
      part_resources_.push_back(r);
    }
  }
  std::sort(part_resources_.begin(), part_resources_.end());
  for (std::uint32_t r : part_resources_) {
    seen_resource_[r] = 0;
    left_[r] = 1;
    demand_[r] = 0;
    open_[r] = 0;
    for (std::uint32_t k : users_[r]) {
      const std::uint32_t u = owner_[k];
      if (in_part_[u] == 0) {
        left_[r] -= rate_[u] * uses_[k].per_byte;
      } else {
        demand_[r] += weight_[u] * uses_[k].per_byte;
        ++open_[r];
      }
    }
  }
}

double MaxMin::level(std::uint32_t r) const {
  return std::max(0.0, left_[r]) / demand_[r];
}

void MaxMin::freeze(std::uint32_t user, std::uint32_t resource, double at) {
  frozen_[user] = 1;
  rate_[user] = at * weight_[user];
  bottleneck_[user] = resource;
  for (std::uint32_t k = first_[user]; k < first_[user + 1]; ++k) {
    const std::uint32_t r = uses_[k].resource;
    left_[r] -= rate_[user] * uses_[k].per_byte;
    demand_[r] -= weight_[user] * uses_[k].per_byte;
    --open_[r];
  }
}

void MaxMin::fill() {
  using Entry = std::pair<double, std::uint32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (std::uint32_t r : part_resources_) queue.emplace(level(r), r);
  std::vector<std::uint32_t> freezing;
  while (!queue.empty()) {
    const auto [at, r] = queue.top();
    queue.pop();
    if (open_[r] == 0) continue;
    const double now = level(r);
    if (now > at * (1 + 1e-12)) {  // levels only rise, so a stale entry goes back
      queue.emplace(now, r);
      continue;
    }
    freezing.clear();
    for (std::uint32_t k : users_[r]) {
      const std::uint32_t u = owner_[k];
      if (in_part_[u] != 0 && frozen_[u] == 0) freezing.push_back(u);
    }
    std::sort(freezing.begin(), freezing.end());
    for (std::uint32_t u : freezing) freeze(u, r, now);
  }
}

/// Do the users outside the part still have what they need on this resource? Those that do not are put among the joiners.
bool MaxMin::settled(std::uint32_t r) {
  double largest = 0;  // share of the part's users here, and of those that this resource bounds
  double full_at = -1;
  for (std::uint32_t k : users_[r]) {
    const std::uint32_t u = owner_[k];
    if (in_part_[u] == 0) continue;
    largest = std::max(largest, share(u));
    if (bottleneck_[u] == r) full_at = std::max(full_at, share(u));
  }
  const bool full = full_at >= 0 || left_[r] <= 1e-9;
  bool fine = true;
  for (std::uint32_t k : users_[r]) {
    const std::uint32_t u = owner_[k];
    if (in_part_[u] != 0) continue;
    const bool bound_here = bottleneck_[u] == r;
    const bool lost = bound_here && (!full || largest > share(u) * (1 + 1e-9));
    const bool greedy = full_at >= 0 && share(u) > full_at * (1 + 1e-9);
    if (!lost && !greedy) continue;
    joiners_.push_back(u);
    fine = false;
  }
  return fine;
}

bool MaxMin::find_joiners() {
  joiners_.clear();
  for (std::uint32_t r : part_resources_) settled(r);
  for (std::uint32_t u : joiners_) join(u);
  return !joiners_.empty();
}

void MaxMin::refill_alone(std::uint32_t u) {
  double slowest = 0;
  for (std::uint32_t k = first_[u]; k < first_[u + 1]; ++k) {
    if (uses_[k].per_byte > slowest) {
      slowest = uses_[k].per_byte;
      bottleneck_[u] = uses_[k].resource;
    }
  }
  rate_[u] = 1 / slowest;
}

void MaxMin::refill() {
  begin_local();
  constexpr int kRounds = 4;
  for (int round = 0; !part_users_.empty(); ++round) {
    gather_resources();
    const auto alone = [this](std::uint32_t r) { return users_[r].size() == 1; };
    if (part_users_.size() == 1 && std::all_of(part_resources_.begin(), part_resources_.end(), alone)) {
      refill_alone(part_users_[0]);
      break;
    }
    fill();
    if (!find_joiners()) break;
    if (round == kRounds) collect_part();
  }
  finish();
}

void MaxMin::finish() {
  std::sort(part_users_.begin(), part_users_.end());
  changed_.clear();
  for (std::uint32_t u : part_users_) {
    in_part_[u] = 0;
    if (rate_[u] != old_[u]) changed_.push_back(u);
  }
  for (std::uint32_t r : dirty_) marked_[r] = 0;
  dirty_.clear();
}

}  // namespace weft::simulate
