#include "yona/train/progress_meter.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/progress_events.h"

namespace yona {
namespace {

using testing::update;

TEST(ProgressMeter, AveragesTheWindowByTokens) {
  ProgressMeter meter(2);
  UpdateReport first = update(1);
  first.loss = 100.0;
  meter.add(first);
  UpdateReport second = update(2);
  second.loss = 4.0;
  second.predictions = 300;
  meter.add(second);
  UpdateReport third = update(3);
  third.loss = 2.0;
  third.predictions = 100;
  meter.add(third);
  const ProgressSummary summary = meter.summary();
  EXPECT_DOUBLE_EQ(summary.loss, (300 * 4.0 + 100 * 2.0) / 400);
  EXPECT_DOUBLE_EQ(summary.tokens_per_second, 400 / 0.5);
  EXPECT_EQ(summary.last.update, 3);
}

TEST(ProgressMeter, ExpectsTheRestToGoAsTheRunWentSoFar) {
  ProgressMeter meter(10);
  meter.begin(900);
  UpdateReport report = update(910);
  report.seconds = 20.0;  // ten updates of two seconds, validation counted
  meter.add(report);
  EXPECT_DOUBLE_EQ(meter.summary().seconds_left.value(), 180.0);
  report.updates = 0;
  meter.add(report);
  EXPECT_FALSE(meter.summary().seconds_left.has_value());
}

TEST(ProgressMeter, LeavesSkippedUpdatesOutOfTheLoss) {
  ProgressMeter meter(10);
  UpdateReport skipped = update(1);
  skipped.loss = skipped.nll = std::numeric_limits<double>::quiet_NaN();
  skipped.skipped = true;
  meter.add(skipped);
  EXPECT_TRUE(std::isnan(meter.summary().loss));
  meter.add(update(2));
  EXPECT_DOUBLE_EQ(meter.summary().loss, 3.0);
  EXPECT_DOUBLE_EQ(meter.summary().tokens_per_second, 2000.0);
}

TEST(ProgressMeter, SaysNothingBeforeTheFirstUpdate) {
  EXPECT_EQ(ProgressMeter(5).summary().last.update, 0);
}

}  // namespace
}  // namespace yona
