#include "weft/simulate/bound_cuts.hpp"

namespace weft::simulate {
namespace {

/// Assigns switches in waves outward from the sites: a switch next to the last wave belongs to the set that all of its
/// neighbours there share, or to none.
void assign_switches(const machine::Machine& m, std::vector<std::uint32_t>& set) {
  constexpr std::uint32_t kUntouched = ~0u - 1;
  std::vector<char> known(m.nodes(), 0);
  for (std::uint32_t s = 0; s < m.sites(); ++s) known[s] = 1;
  for (bool more = true; more;) {
    more = false;
    std::vector<std::uint32_t> claim(m.nodes(), kUntouched);
    for (const machine::Link& l : m.links()) {
      for (const auto& [a, b] : {std::pair{l.from, l.to}, std::pair{l.to, l.from}}) {
        if (known[a] == 0 || known[b] != 0) continue;
        claim[b] = claim[b] == kUntouched || claim[b] == set[a] ? set[a] : kNoSet;
      }
    }
    for (std::uint32_t n = m.sites(); n < m.nodes(); ++n) {
      if (claim[n] == kUntouched) continue;
      set[n] = claim[n];
      known[n] = 1;
      more = true;
    }
  }
}

/// Sets of `size` consecutive sites, grown by the switches that only one set touches.
CutFamily blocks(const machine::Machine& m, std::string name, std::uint32_t size) {
  CutFamily f;
  f.name = std::move(name);
  f.sets = (m.sites() + size - 1) / size;
  std::vector<std::uint32_t> set(m.nodes(), kNoSet);
  for (std::uint32_t s = 0; s < m.sites(); ++s) set[s] = s / size;
  if (size > 1) assign_switches(m, set);
  f.in.assign(f.sets, 0);
  f.out.assign(f.sets, 0);
  for (const machine::Link& l : m.links()) {
    const double b = m.link_classes()[l.cls].bandwidth.value();
    if (set[l.from] == set[l.to]) continue;
    if (set[l.from] < f.sets) f.out[set[l.from]] += b;
    if (set[l.to] < f.sets) f.in[set[l.to]] += b;
  }
  f.set_of_site.assign(set.begin(), set.begin() + m.sites());
  return f;
}

}  // namespace

std::vector<CutFamily> cut_families(const machine::Machine& machine) {
  std::vector<CutFamily> families;
  families.push_back(blocks(machine, "a site", 1));
  for (const machine::Level& level : machine.levels()) {
    const auto count = static_cast<std::uint32_t>(level.count);
    if (count < 2 || count >= machine.sites() || machine.sites() % count != 0) continue;
    families.push_back(blocks(machine, "a " + level.name, machine.sites() / count));
  }
  if (machine.sites() > 3) families.push_back(blocks(machine, "half of the machine", (machine.sites() + 1) / 2));
  return families;
}

}  // namespace weft::simulate
