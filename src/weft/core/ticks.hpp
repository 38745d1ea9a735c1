// Integer simulated time. Engines count ticks; only the edges of the program speak of seconds.
#pragma once

#include <cmath>
#include <cstdint>

#include "weft/core/error.hpp"

#include "weft/core/units.hpp"

namespace weft {

using Tick = std::int64_t;

struct TickClock {
  double ticks_per_second = 1e12;  // a picosecond, unless the machine has a clock

  // The first tick at or after `time`. A value within a millionth of a tick (plus what a double cannot tell apart) of
  // a whole tick is that tick, so that 3 cycles stay 3 cycles after a trip through seconds.
  [[nodiscard]] Tick ceil(Seconds time) const {
    const double exact = time.value() * ticks_per_second;
    if (!(std::fabs(exact) < 4e18))
      throw limit_error("a time of " + to_string(time) + " has more ticks than can be counted");
    const double nearest = std::round(exact);
    const double tolerance = 1e-6 + 4e-16 * std::fabs(exact);
    return static_cast<Tick>(std::fabs(exact - nearest) <= tolerance ? nearest : std::ceil(exact));
  }
  [[nodiscard]] Seconds seconds(Tick tick) const { return Seconds(static_cast<double>(tick) / ticks_per_second); }
};

}  // namespace weft
