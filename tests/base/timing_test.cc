#include "yona/base/timing.h"

#include <thread>

#include <gtest/gtest.h>

namespace yona {
namespace {

void sleep_a_little() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

TEST(Timing, TheMedianIsTheMiddleOne) {
  EXPECT_EQ(median({3.0}), 3.0);
  EXPECT_EQ(median({9.0, 1.0, 5.0}), 5.0);
  EXPECT_EQ(median({9.0, 1.0}), 9.0);
}

TEST(Timing, TimesACall) { EXPECT_GE(seconds_of(sleep_a_little), 0.005); }

TEST(Timing, CountsSecondsFromAMomentOn) {
  const Clock::time_point start = Clock::now();
  const double before = steady_seconds();
  sleep_a_little();
  EXPECT_GE(seconds_since(start), 0.005);
  EXPECT_GE(steady_seconds() - before, 0.005);
}

}  // namespace
}  // namespace yona
