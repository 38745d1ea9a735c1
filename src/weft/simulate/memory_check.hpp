// Memory of one Timeline: where verify could not show that a Program fits for any timing (Verdict::memory_proved is false), the
// Timeline's own peak decides.
//
// Lifetimes are verify's (verify_lifetimes.hpp): bytes are there from the start of their first writer to the end of their last
// user, at a tick where one ends and another starts only once; what starts there or is required at the end has no such limit. A
// member's span is its representative's (fold.hpp).
// Cost: n log n in the lifetimes of the places (a tier at a site) whose sum does not fit; nothing where all fit.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/ticks.hpp"
#include "weft/machine/machine.hpp"
#include "weft/program/expand.hpp"
#include "weft/program/timeline.hpp"
#include "weft/simulate/fold.hpp"

namespace weft::simulate {

struct MemoryPeak {
  machine::SiteId site = 0;
  std::string tier;
  Tick tick = 0;           ///< when it is fullest, the first time
  std::int64_t bytes = 0;  ///< then
  std::int64_t capacity = 0;
  std::int64_t missing() const { return bytes > capacity ? bytes - capacity : 0; }
};

/// Peaks of the places whose sum does not fit, by site and tier; none: everything fits at once. `fold` is the one that the
/// Timeline was made with.
std::vector<MemoryPeak> memory_peaks(const program::Expansion& expansion, const machine::Machine& machine,
                                     const program::Timeline& timeline, const Fold& fold);

/// Those of them that exceed their capacity, the one that misses most first.
std::vector<MemoryPeak> memory_overflows(const program::Expansion& expansion, const machine::Machine& machine,
                                         const program::Timeline& timeline, const Fold& fold);

/// "hbm of gpu[3] overflows at 12.5 us: 96 GiB lie there, it holds 80 GiB; 17179869184 B are missing"
std::string text(const MemoryPeak& peak, const machine::Machine& machine, const TickClock& clock);

}  // namespace weft::simulate
