#include "weft/core/ticks.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Ticks, WholeCyclesSurviveATripThroughSeconds) {
  const TickClock clock{1.33e9};
  for (Tick tick : {0L, 1L, 3L, 7L, 1000003L, 123456789012L}) EXPECT_EQ(clock.ceil(clock.seconds(tick)), tick);
}

TEST(Ticks, RoundUpOtherwise) {
  const TickClock clock{1e12};
  EXPECT_EQ(clock.ceil(Seconds(1.5e-12)), 2);
  EXPECT_EQ(clock.ceil(Seconds(1.00001e-12)), 2);
  EXPECT_EQ(clock.ceil(Seconds(1.0000001e-12)), 1);
}

}  // namespace
}  // namespace weft
