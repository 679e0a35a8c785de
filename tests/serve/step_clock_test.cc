#include "yona/serve/step_clock.h"

#include <thread>

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::StepClock;

void rest(double milliseconds) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(milliseconds));
}

TEST(StepClock, MeasuresFromPlaceToPlace) {
  StepClock clock;
  clock.begin();
  clock.point();
  rest(80);
  clock.point();
  EXPECT_EQ(clock.steps(), 2U);
  EXPECT_GE(clock.long_steps(), 1U);
  EXPECT_GE(clock.longest(), 0.08);
}

TEST(StepClock, DoesNotCountTheTimeBetweenBatches) {
  StepClock clock;
  clock.begin();
  clock.point();
  rest(80);
  clock.begin();
  clock.point();
  EXPECT_EQ(clock.steps(), 2U);
  EXPECT_LT(clock.longest(), 0.08);
}

TEST(StepClock, DoesNotCountTheTimeOfAPause) {
  StepClock clock;
  clock.begin();
  clock.pause();
  rest(80);
  clock.point();
  EXPECT_EQ(clock.steps(), 0U);
  clock.point();
  EXPECT_EQ(clock.steps(), 1U);
  EXPECT_LT(clock.longest(), 0.08);
}

TEST(StepClock, CountsThePlacesOfEachThread) {
  StepClock clock;
  clock.begin();
  std::thread([&] {
    clock.point();  // when its part began is not known
    EXPECT_EQ(clock.steps(), 0U);
    clock.point();
    EXPECT_EQ(clock.steps(), 1U);
  }).join();
  clock.point();
  EXPECT_EQ(clock.steps(), 2U);
}

TEST(StepClock, KeepsClocksApart) {
  StepClock one;
  StepClock other;
  one.begin();
  other.point();
  EXPECT_EQ(other.steps(), 0U);
}

}  // namespace
}  // namespace yona
