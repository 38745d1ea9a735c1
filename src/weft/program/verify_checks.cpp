#include "weft/program/verify_checks.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"

namespace weft::program {
namespace {

constexpr std::size_t kMostRoutes = 50'000;       ///< distinct pairs whose way is looked for; then one a task and round
constexpr std::uint32_t kMostSitesForNames = 96;  ///< a circuit's name is looked for between all pairs of so many sites

class Form {
 public:
  Form(const Expansion& e, const machine::Machine& m, std::size_t most, std::vector<PlacedFault>& out)
      : e_(e), p_(*e.program), m_(m), most_(most), out_(out) {
    for (const machine::Transport& t : m.transports()) {
      if (std::ranges::find(transports_, t.name) == transports_.end()) transports_.push_back(t.name);
    }
    has_circuits_ = std::ranges::any_of(m.link_classes(), &machine::LinkClass::circuit);
  }

  void check() {
    starts();
    for (instance_ = 0; instance_ < e_.instances.size() && room(); ++instance_) {
      const Instance& i = e_.instances[instance_];
      const Task& task = e_.task(i);
      if (i.count == 0 || unknown_transport(task, i.first)) continue;
      if (task.kind == Kind::control && task.control == Control::reconfigure) circuits(task, i.first);
      if (task.kind == Kind::move) move(task, i);
      if (task.kind == Kind::compute) compute(task, i);
    }
  }

 private:
  bool room() const { return out_.size() < most_; }
  /// One a task: what is wrong in its first round is wrong in all.
  void fault(std::uint32_t member, std::string what) {
    const Task& task = e_.task(e_.instances[instance_]);
    if (!faulted_.insert(e_.instances[instance_].task).second) return;
    out_.push_back({member, {member_text(e_, instance_, member), std::move(what), task.line}});
  }

  bool has_tier(SiteId site, BufferId buffer) {
    const std::string& tier = p_.buffers[buffer].tier;
    if (tier.empty()) return true;
    const std::uint64_t key = (std::uint64_t{buffer} << 16) | m_.site_class_id(site);
    const auto [at, fresh] = tier_known_.try_emplace(key, true);
    if (fresh) {
      at->second = std::ranges::find(m_.site_class(site).tiers, tier, &machine::MemoryTier::name) !=
                   m_.site_class(site).tiers.end();
    }
    return at->second;
  }
  void tier(std::uint32_t member, SiteId site, BufferId buffer) {
    if (!has_tier(site, buffer)) {
      fault(member, fmt::format("{} has no memory '{}'", m_.site_name(site), p_.buffers[buffer].tier));
    }
  }

  void starts() {
    const std::vector<std::int64_t> zero(std::max<std::size_t>(p_.vars.size(), 1), 0);
    for (const Placement& start : p_.start) {
      if (p_.buffers[start.chunk.buffer].tier.empty()) continue;
      for_each_placement(p_, start, zero.data(), [&](const std::int64_t*, SiteId site, const FlatBoxes&) {
        if (!room() || has_tier(site, start.chunk.buffer)) return;
        const std::string what =
            fmt::format("{} has no memory '{}'", m_.site_name(site), p_.buffers[start.chunk.buffer].tier);
        out_.push_back({0, {"start", what, start.line}});
      });
    }
  }

  bool unknown_transport(const Task& task, std::uint32_t member) {
    if (task.transport.empty() || std::ranges::find(transports_, task.transport) != transports_.end()) return false;
    fault(member, fmt::format("the machine has no transport '{}'; {}", task.transport,
                              did_you_mean(task.transport, transports_)));
    return true;
  }

  void move(const Task& task, const Instance& i) {
    for (std::uint32_t k = i.first; k < i.first + i.count && room(); ++k) {
      const Member& m = e_.members[k];
      transport(task, k);
      if (m.list == kNone) {
        ends(task, k, m.src, m.dst, k == i.first);
        continue;
      }
      for (const SiteId from : sources_of(e_, task, m)) {
        for (const SiteId to : destinations_of(e_, task, m)) ends(task, k, from, to, k == i.first);
      }
    }
  }

  void ends(const Task& task, std::uint32_t member, SiteId from, SiteId to, bool first) {
    tier(member, from, task.what.buffer);
    tier(member, to, task.into);
    if (from == to || (!first && pairs_.size() >= kMostRoutes)) return;
    if (!pairs_.insert({via_number(task.via), (std::uint64_t{from} << 32) | to}).second) return;
    route_.clear();
    if (m_.route(from, to, task.via, route_)) return;
    const std::string via = task.via.empty() ? "" : " via " + task.via;
    fault(member, fmt::format("there is no way from {} to {}{}", m_.site_name(from), m_.site_name(to), via));
  }

  std::uint32_t via_number(const std::string& via) {
    if (via.empty()) return 0;
    return via_.try_emplace(via, static_cast<std::uint32_t>(via_.size() + 1)).first->second;
  }

  /// A named transport must serve the fabric between a move's ends.
  void transport(const Task& task, std::uint32_t member) {
    const Member& m = e_.members[member];
    if (task.transport.empty() || m.src == m.dst) return;
    const std::string_view fabric = m_.fabric_between(m.src, m.dst);
    const bool serves = std::ranges::any_of(m_.transports(), [&](const machine::Transport& t) {
      return t.name == task.transport && (t.fabric.empty() || t.fabric == fabric);
    });
    if (!serves) {
      fault(member, fmt::format("transport '{}' does not serve {}, which joins {} and {}", task.transport, fabric,
                                m_.site_name(m.src), m_.site_name(m.dst)));
    }
  }

  void compute(const Task& task, const Instance& i) {
    for (const auto* list : {&task.reads, &task.writes, &task.adds}) {
      for (const ChunkRef& c : *list) {
        if (p_.buffers[c.buffer].tier.empty()) continue;
        for (std::uint32_t k = i.first; k < i.first + i.count && room(); ++k) tier(k, e_.members[k].src, c.buffer);
      }
    }
  }

  void circuits(const Task& task, std::uint32_t member) {
    if (!has_circuits_) {
      fault(member, "the machine has no circuits");
      return;
    }
    for (const auto* list : {&task.drop, &task.raise}) {
      for (const std::string& name : *list) {
        if (!circuit_exists(task.circuits + ":" + name)) {
          fault(member, fmt::format("the machine has no circuit {}:{}", task.circuits, name));
        }
      }
    }
  }

  bool circuit_exists(const std::string& name) {
    if (m_.sites() > kMostSitesForNames) return true;  // its moves are looked at
    const auto [known, fresh] = circuit_known_.try_emplace(name, false);
    for (SiteId a = 0; fresh && a < m_.sites() && !known->second; ++a) {
      for (SiteId b = 0; b < m_.sites() && !known->second; ++b) {
        route_.clear();
        known->second = a != b && m_.route(a, b, name, route_);
      }
    }
    return known->second;
  }

  const Expansion& e_;
  const Program& p_;
  const machine::Machine& m_;
  std::size_t most_;
  std::vector<PlacedFault>& out_;
  std::vector<std::string> transports_;
  bool has_circuits_ = false;
  InstanceId instance_ = 0;
  absl::flat_hash_set<TaskId> faulted_;
  absl::flat_hash_map<std::uint64_t, bool> tier_known_;  ///< by buffer and site class
  absl::flat_hash_set<std::pair<std::uint32_t, std::uint64_t>> pairs_;
  absl::flat_hash_map<std::string, std::uint32_t> via_;
  absl::flat_hash_map<std::string, bool> circuit_known_;
  std::vector<machine::LinkId> route_;
};

/// Lanes that meet at a router, where it can only tell so many apart.
void check_colours(const Expansion& e, const machine::Machine& m, std::vector<PlacedFault>& out) {
  absl::flat_hash_map<machine::NodeId, std::vector<std::int32_t>> lanes;
  std::vector<machine::LinkId> route;
  for (InstanceId k = 0; k < e.instances.size(); ++k) {
    const Instance& i = e.instances[k];
    const Task& task = e.task(i);
    if (task.kind != Kind::move || !task.lane) continue;
    for (std::uint32_t member = i.first; member < i.first + i.count; ++member) {
      links_of(e, m, task, e.members[member], route);
      for (const machine::LinkId link : route) {
        std::vector<std::int32_t>& there = lanes[m.links()[link].from];
        if (std::ranges::find(there, e.members[member].lane) != there.end()) continue;
        there.push_back(e.members[member].lane);
        if (static_cast<int>(there.size()) <= *m.colours()) continue;
        const std::string node = m.node_name(m.links()[link].from);
        const std::string what =
            fmt::format("lane {} is one too many at {}, which tells {} apart", there.back(), node, *m.colours());
        out.push_back({member, {member_text(e, k, member), what, task.line}});
        return;
      }
    }
  }
}

}  // namespace

void links_of(const Expansion& e, const machine::Machine& m, const Task& task, const Member& member,
              std::vector<machine::LinkId>& out) {
  out.clear();
  std::vector<machine::LinkId> way;
  for (const SiteId from : sources_of(e, task, member)) {
    for (const SiteId to : destinations_of(e, task, member)) {
      way.clear();
      if (from != to && m.route(from, to, task.via, way)) out.insert(out.end(), way.begin(), way.end());
    }
  }
  if (member.list == kNone) return;
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

void check_form(const Expansion& e, const machine::Machine& m, std::size_t most, std::vector<PlacedFault>& out) {
  Form(e, m, most, out).check();
  if (m.colours() && out.size() < most) check_colours(e, m, out);
}

}  // namespace weft::program
