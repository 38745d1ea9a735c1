#include "weft/simulate/maxmin.hpp"

#include <algorithm>
#include <queue>

namespace weft::simulate {

MaxMin::MaxMin(std::uint32_t resources, std::span<const std::uint32_t> first, std::span<const Use> uses, std::span<const double> weights)
    : first_(first), uses_(uses), weight_(weights), users_(resources), position_(uses.size()), owner_(uses.size()) {
  const std::size_t n = weights.size();
  active_.assign(n, 0);
  seen_user_.assign(n, 0);
  frozen_.assign(n, 0);
  rate_.assign(n, 0);
  old_.assign(n, 0);
  bottleneck_.assign(n, ~0u);
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
    if (seen_resource_[r] == 0) {
      seen_resource_[r] = 1;
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

/// The connected parts of the marked resources.
void MaxMin::collect() {
  part_resources_ = dirty_;
  part_users_.clear();
  for (std::size_t next = 0; next < part_resources_.size(); ++next) {
    for (std::uint32_t k : users_[part_resources_[next]]) {
      const std::uint32_t u = owner_[k];
      if (seen_user_[u] != 0) continue;
      seen_user_[u] = 1;
      part_users_.push_back(u);
      for (std::uint32_t j = first_[u]; j < first_[u + 1]; ++j) {
        const std::uint32_t r = uses_[j].resource;
        if (seen_resource_[r] != 0) continue;
        seen_resource_[r] = 1;
        part_resources_.push_back(r);
      }
    }
  }
  std::sort(part_users_.begin(), part_users_.end());
}

double MaxMin::level(std::uint32_t r) const { return std::max(0.0, left_[r]) / demand_[r]; }

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
  for (std::uint32_t r : part_resources_) {
    left_[r] = 1;
    demand_[r] = 0;
    open_[r] = static_cast<std::uint32_t>(users_[r].size());
    for (std::uint32_t k : users_[r]) demand_[r] += weight_[owner_[k]] * uses_[k].per_byte;
    if (open_[r] != 0) queue.emplace(level(r), r);
  }
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
      if (frozen_[owner_[k]] == 0) freezing.push_back(owner_[k]);
    }
    std::sort(freezing.begin(), freezing.end());
    for (std::uint32_t u : freezing) {
      if (frozen_[u] == 0) freeze(u, r, now);
    }
  }
}

void MaxMin::refill() {
  collect();
  for (std::uint32_t u : part_users_) {
    old_[u] = rate_[u];
    frozen_[u] = 0;
  }
  if (part_users_.size() == 1) {
    const std::uint32_t u = part_users_[0];
    double slowest = 0;
    for (std::uint32_t k = first_[u]; k < first_[u + 1]; ++k) {
      if (uses_[k].per_byte > slowest) {
        slowest = uses_[k].per_byte;
        bottleneck_[u] = uses_[k].resource;
      }
    }
    rate_[u] = 1 / slowest;
  } else {
    fill();
  }
  changed_.clear();
  for (std::uint32_t u : part_users_) {
    seen_user_[u] = 0;
    if (rate_[u] != old_[u]) changed_.push_back(u);
  }
  for (std::uint32_t r : part_resources_) seen_resource_[r] = 0;
  dirty_.clear();
}

}  // namespace weft::simulate
