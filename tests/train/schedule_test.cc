#include "yona/train/schedule.h"

#include <cmath>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Schedule, IsEquationThreeOfThePaper) {
  const ScheduleConfig paper;  // factor 1, warm-up 4000
  EXPECT_DOUBLE_EQ(learning_rate(paper, 512, 100000, 1),
                   std::pow(512, -0.5) * std::pow(4000, -1.5));
  EXPECT_DOUBLE_EQ(learning_rate(paper, 512, 100000, 4000),
                   std::pow(512, -0.5) * std::pow(4000, -0.5));
  EXPECT_DOUBLE_EQ(learning_rate(paper, 512, 100000, 16000),
                   std::pow(512, -0.5) * std::pow(16000, -0.5));
}

TEST(Schedule, PeaksAtTheEndOfWarmUp) {
  for (const ScheduleKind kind : {ScheduleKind::paper, ScheduleKind::inverse_sqrt,
                                  ScheduleKind::cosine, ScheduleKind::linear}) {
    const ScheduleConfig schedule{.kind = kind, .rate = 0.5, .warmup = 100, .final_rate = 0.01};
    const double peak = learning_rate(schedule, 64, 1000, 100);
    EXPECT_LT(learning_rate(schedule, 64, 1000, 50), peak);
    EXPECT_LT(learning_rate(schedule, 64, 1000, 200), peak);
    EXPECT_GT(learning_rate(schedule, 64, 1000, 1), 0);
  }
}

TEST(Schedule, CosineAndLinearEndAtTheFinalRate) {
  for (const ScheduleKind kind : {ScheduleKind::cosine, ScheduleKind::linear}) {
    const ScheduleConfig schedule{.kind = kind, .rate = 0.5, .warmup = 100, .final_rate = 0.01};
    EXPECT_NEAR(learning_rate(schedule, 64, 1000, 1000), 0.01, 1e-12);
    EXPECT_NEAR(learning_rate(schedule, 64, 1000, 550), 0.255, 1e-12);  // half way
    EXPECT_NEAR(learning_rate(schedule, 64, 1000, 5000), 0.01, 1e-12);  // past the end
  }
}

TEST(Schedule, ConstantStaysAfterWarmUpAndNoWarmUpIsAllowed) {
  const ScheduleConfig schedule{
      .kind = ScheduleKind::constant, .rate = 3e-4, .warmup = 0, .final_rate = 0};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 64, 10, 1), 3e-4);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 64, 10, 1000000), 3e-4);
}

TEST(Schedule, InverseSquareRootFallsAsItsName) {
  const ScheduleConfig schedule{
      .kind = ScheduleKind::inverse_sqrt, .rate = 1.0, .warmup = 100, .final_rate = 0};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 64, 1000, 400), 0.5);
}

}  // namespace
}  // namespace yona
