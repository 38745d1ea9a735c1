// Reduce Programs over a row of PEs for any pre-order reduce tree, PE 0 the root and each parent left of its children.
//
// All moves share lane 0. Moves are numbered children first and nearest child first, so each link serves them in an order that
// its windows can follow. A PE has an `in` buffer a child, adds its children one after another, and its own move streams the
// last add by one wavelet (4 B, window 1).
#pragma once
#include <cstdint>
#include <vector>

#include "weft/program/program.hpp"

namespace weft::test {

/// Order in which a PE's children are numbered; the adds stay nearest first, so farthest first deadlocks two-phase: the far
/// move holds the lane of the last link and waits, through its window, for an add that waits for the near one.
enum class ChildOrder : std::uint8_t { nearest_first, farthest_first };

/// `parent[i] < i` for i > 0; parent[0] is not read. `wavelets` of 4 B each.
program::Program reduce_tree(const std::vector<std::uint32_t>& parent, std::int64_t wavelets,
                             ChildOrder order = ChildOrder::nearest_first);

std::vector<std::uint32_t> chain(std::uint32_t pes);
std::vector<std::uint32_t> star(std::uint32_t pes);
/// Chains in groups of `group` counted from the far end (the rest holds the root), then a chain of the groups' first PEs.
std::vector<std::uint32_t> two_phase(std::uint32_t pes, std::uint32_t group);
/// Binomial: parent(i) is i without its lowest set bit.
std::vector<std::uint32_t> binary_tree(std::uint32_t pes);

}  // namespace weft::test
