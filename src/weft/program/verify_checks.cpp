#include "weft/program/verify_checks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "weft/core/error.hpp"
#include "weft/core/suggest.hpp"

namespace weft::program {
namespace {

void add(const Expansion& e, InstanceId i, std::uint32_t member, std::string what, std::vector<PlacedFault>& out) {
  out.push_back({member, {member_text(e, i, member), std::move(what), e.task(e.instances[i]).line}});
}

bool has_tier(const machine::Machine& m, SiteId site, const std::string& tier) {
  return tier.empty() || std::ranges::any_of(m.site_class(site).tiers, [&](const machine::MemoryTier& t) { return t.name == tier; });
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
      add(e, k, i.first, fmt::format("the machine has no transport '{}'; {}", task.transport, did_you_mean(task.transport, transports)), out);
      continue;
    }
    if (task.kind != Kind::move) continue;
    const Member& first = e.members[i.first];
    std::vector<machine::LinkId> route;
    const bool there = first.src == first.dst || m.route(first.src, first.dst, task.via, route);
    if (!there) {
      add(e, k, i.first, fmt::format("there is no way from {} to {}{}", m.site_name(first.src), m.site_name(first.dst), task.via.empty() ? "" : " via " + task.via), out);
      continue;
    }
    const std::string& tier = e.program->buffers[task.into].tier;
    if (!has_tier(m, first.dst, tier)) add(e, k, i.first, fmt::format("{} has no memory '{}'", m.site_name(first.dst), tier), out);
  }
}

namespace {

/// Bytes by site and tier, all and those that start there.
class Use {
 public:
  Use(const Expansion& e, const machine::Machine& m, const std::vector<Cells>& cells) : e_(e), m_(m), cells_(cells) {
    for (const machine::SiteClass& c : m.site_classes()) tiers_ = std::max(tiers_, c.tiers.size());
    bytes_.resize(m.sites() * tiers_);
  }
  struct Bytes2 {
    double all = 0, start = 0;
  };
  void count(BufferId buffer, SiteId site, std::uint64_t cell, bool start) {
    const Buffer& b = e_.program->buffers[buffer];
    const Tensor& t = e_.program->tensors[b.tensor];
    const auto& tiers = m_.site_class(site).tiers;
    std::size_t tier = 0;
    while (!b.tier.empty() && tier < tiers.size() && tiers[tier].name != b.tier) ++tier;
    if (tier >= tiers.size()) return;
    const auto volume = static_cast<double>(cells_[b.tensor].volume_of_cell(cell));
    const double bytes = t.total ? volume * static_cast<double>(t.total->value()) / static_cast<double>(std::max<std::int64_t>(t.volume(), 1)) : volume * machine::bits(t.dtype) / 8;
    Bytes2& slot = bytes_[site * tiers_ + tier];
    slot.all += bytes;
    if (start) slot.start += bytes;
  }
  const Bytes2& at(SiteId site, std::size_t tier) const { return bytes_[site * tiers_ + tier]; }

 private:
  const Expansion& e_;
  const machine::Machine& m_;
  const std::vector<Cells>& cells_;
  std::size_t tiers_ = 1;
  std::vector<Bytes2> bytes_;
};

}  // namespace

void check_memory(const Expansion& e, const machine::Machine& m, const Walk& walk, const std::vector<Cells>& cells, Verdict& verdict,
                  std::vector<PlacedFault>& out) {
  Use use(e, m, cells);
  walk.each_cell([&](BufferId buffer, SiteId site, std::uint64_t cell, bool start) { use.count(buffer, site, cell, start); });
  std::map<std::string, MemoryUse> rows;
  double worst = 0;
  for (SiteId s = 0; s < m.sites(); ++s) {
    const auto& tiers = m.site_class(s).tiers;
    for (std::size_t k = 0; k < tiers.size(); ++k) {
      const machine::MemoryTier& tier = tiers[k];
      const auto capacity = tier.capacity.value();
      if (use.at(s, k).all <= 0) continue;
      const auto used = static_cast<std::int64_t>(use.at(s, k).all + 0.999999), starting = static_cast<std::int64_t>(use.at(s, k).start + 0.999999);
      MemoryUse& row = rows[tier.name];
      if (used > row.used_bytes) row = {s, tier.name, used, capacity};
      if (capacity <= 0) continue;
      verdict.memory_proved = verdict.memory_proved && used <= capacity;
      const double over = static_cast<double>(starting) - static_cast<double>(capacity);
      if (over <= worst) continue;
      if (worst > 0) out.pop_back();
      worst = over;
      out.push_back({0, {"memory", fmt::format("{} of {} overflows before the first task: {} start there, it holds {}; {} B are missing", tier.name, m.site_name(s), format_short(Bytes(starting)), format_short(Bytes(capacity)), starting - capacity), 0}});
    }
  }
  for (auto& [name, row] : rows) verdict.memory.push_back(row);
}

}  // namespace weft::program
