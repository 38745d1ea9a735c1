#include "weft/program/verify_checks.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"

namespace weft::program {
namespace {

void add(const Expansion& e, InstanceId i, std::uint32_t member, std::string what, std::vector<PlacedFault>& out) {
  out.push_back({member, {member_text(e, i, member), std::move(what), e.task(e.instances[i]).line}});
}

bool has_tier(const machine::Machine& m, SiteId site, const std::string& tier) {
  return tier.empty() ||
         std::ranges::any_of(m.site_class(site).tiers, [&](const machine::MemoryTier& t) { return t.name == tier; });
}

}  // namespace

void check_form(const Expansion& e, const machine::Machine& m, std::size_t most, std::vector<PlacedFault>& out) {
  std::vector<std::string> transports;
  for (const machine::Transport& t : m.transports()) transports.push_back(t.name);
  std::vector<bool> seen(e.program->tasks.size(), false);
  for (InstanceId k = 0; k < e.instances.size() && out.size() < most; ++k) {
    const Instance& i = e.instances[k];
    const Task& task = e.task(i);
    if (i.count == 0 || seen[i.task]) continue;
    seen[i.task] = true;
    if (!task.transport.empty() && std::ranges::find(transports, task.transport) == transports.end()) {
      add(e, k, i.first,
          fmt::format("the machine has no transport '{}'; {}", task.transport,
                      did_you_mean(task.transport, transports)),
          out);
      continue;
    }
    if (task.kind != Kind::move) continue;
    const Member& first = e.members[i.first];
    std::vector<machine::LinkId> route;
    const bool there = first.src == first.dst || m.route(first.src, first.dst, task.via, route);
    if (!there) {
      add(e, k, i.first,
          fmt::format("there is no way from {} to {}{}", m.site_name(first.src), m.site_name(first.dst),
                      task.via.empty() ? "" : " via " + task.via),
          out);
      continue;
    }
    const std::string& tier = e.program->buffers[task.into].tier;
    if (!has_tier(m, first.dst, tier))
      add(e, k, i.first, fmt::format("{} has no memory '{}'", m.site_name(first.dst), tier), out);
  }
}

}  // namespace weft::program
