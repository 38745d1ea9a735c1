// Fold: of sites that neither the machine nor the Program can tell apart, one is enough.
//
// A symmetry of the machine is a symmetry of the Program if it maps the members of every instance onto themselves: same
// source, destination, bytes, lane and kernel, each seen through the map. Edges bind by sites, so they follow. The group
// that the accepted symmetries generate splits members, sites and links into orbits; max-min fair rates, and so all times, are
// equal within an orbit, because the fair allocation is unique. Engines then simulate one member an orbit, and a link of an
// orbit of L links carries, of an orbit of n members that cross k links of that orbit each, n k / L moves.
//
// The test on members is exact (images are looked up); a hash is only used to reject quickly. Cost: a few passes over the members.
#pragma once
#include <cstdint>
#include <vector>

#include "weft/machine/machine.hpp"
#include "weft/program/expand.hpp"

namespace weft::simulate {

struct Fold {
  std::vector<std::uint32_t> orbit;                        ///< of each member
  std::vector<std::uint32_t> representative;               ///< member that stands for the orbit: the smallest
  std::vector<std::uint32_t> size;                         ///< members in the orbit
  std::vector<std::uint32_t> site_orbit, site_orbit_size;  ///< by site; by orbit
  std::vector<std::uint32_t> link_orbit, link_orbit_size;  ///< by link; by orbit
  std::uint32_t symmetries = 0;                            ///< accepted
};

/// `enabled` false gives the trivial fold: every member, site and link stands for itself.
Fold fold(const program::Expansion& expansion, const machine::Machine& machine, bool enabled);

}  // namespace weft::simulate
