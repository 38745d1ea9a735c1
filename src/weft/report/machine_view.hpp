// A machine for people and for JSON: counts, totals, a drawing of its tree.
#pragma once
#include <cstdint>
#include <string>

#include "weft/core/json.hpp"
#include "weft/machine/machine.hpp"

namespace weft::report {

struct MachineTotals {
  std::int64_t links = 0;                       ///< directed, between switches or cores, without injection links
  double compute_flops = 0;                     ///< FLOP/s, dense BF16
  std::int64_t sram_bytes = 0, hbm_bytes = 0;   ///< sums of the tiers of that name
  std::int64_t degree_min = 0, degree_max = 0;  ///< outgoing links (without injection) of the nodes that have any
};
MachineTotals totals_of(const machine::Machine& machine);

/// Levels as a tree, then a line for each site and link class.
/// Bytes in the unit that suits a memory of `capacity` bytes, so that rows compare at a glance: "0.03 GiB".
std::string format_like(std::int64_t bytes, std::int64_t capacity);

std::string drawing(const machine::Machine& machine);
Json machine_json(const machine::Machine& machine);
std::string machine_text(const machine::Machine& machine);

}  // namespace weft::report
