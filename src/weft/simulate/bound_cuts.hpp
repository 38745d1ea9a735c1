// Families of cuts through a machine: disjoint sets of nodes with the bandwidth into and out of each.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/machine/machine.hpp"

namespace weft::simulate {

inline constexpr std::uint32_t kNoSet = ~0u;

struct CutFamily {
  std::string name;  ///< "a site", "node", "a half"
  std::uint32_t sets = 0;
  std::vector<std::uint32_t> set_of_site;  ///< kNoSet: in none
  std::vector<double> in, out;             ///< bytes a second
};

/// Each site; the components of each level; the halves of the sites in their order. A switch belongs to a set if all its
/// neighbours do.
std::vector<CutFamily> cut_families(const machine::Machine& machine);

}  // namespace weft::simulate
