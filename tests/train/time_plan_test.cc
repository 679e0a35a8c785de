#include "yona/train/time_plan.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

OpenKeys all_open() { return {planned_train_keys().begin(), planned_train_keys().end()}; }

TrainConfig cosine() {
  TrainConfig train;
  train.schedule.kind = ScheduleKind::cosine;
  return train;
}

TEST(TimePlan, UpdatesFillTheTime) {
  const TimePlan plan =
      plan_time(cosine(), all_open(),
                {.seconds_per_update = 0.35, .seconds_left = 1150, .updates_per_pass = 106});
  EXPECT_EQ(plan.train.updates, 3285);
  EXPECT_EQ(plan.train.batch_tokens, 4096);
  EXPECT_EQ(plan.train.schedule.warmup, 492);
  EXPECT_NEAR(plan.train.ema, 0.9976, 1e-12);
  EXPECT_EQ(plan.train.valid_every, 328);
  EXPECT_EQ(plan.train.save_every, 164);
  EXPECT_NEAR(plan.seconds, 1150, 1);
  EXPECT_NEAR(plan.passes, 31, 0.1);
}

TEST(TimePlan, LittleTimeMakesBatchesSmaller) {
  const TimePlan plan =
      plan_time(cosine(), all_open(),
                {.seconds_per_update = 0.35, .seconds_left = 280, .updates_per_pass = 106});
  EXPECT_EQ(plan.train.batch_tokens, 2048);
  EXPECT_EQ(plan.train.updates, 1600);
  EXPECT_NEAR(plan.seconds, 280, 1);
  EXPECT_NEAR(plan.passes, 7.5, 0.1);
}

TEST(TimePlan, BatchesKeepAThousandTokensAndAnUpdateIsLeft) {
  const TimePlan plan =
      plan_time(cosine(), all_open(), {.seconds_per_update = 10, .seconds_left = 1});
  EXPECT_EQ(plan.train.batch_tokens, 1024);
  EXPECT_EQ(plan.train.updates, 1);
  EXPECT_EQ(plan.train.valid_every, 1);
}

TEST(TimePlan, WithoutALimitTheDataDecides) {
  const TimePlan plan = plan_time(
      cosine(), all_open(), {.seconds_per_update = 0.35, .updates_per_pass = 106, .passes = 150});
  EXPECT_EQ(plan.train.updates, 15900);
  EXPECT_EQ(plan.train.schedule.warmup, 1000);
  EXPECT_NEAR(plan.train.ema, 0.999, 1e-12);
  EXPECT_NEAR(plan.seconds, 5565, 1);
}

TEST(TimePlan, AShortRunDoesNotSpendItsTimeOnValidations) {
  const TimePlan plan =
      plan_time(cosine(), all_open(), {.seconds_per_update = 1, .seconds_left = 50});
  EXPECT_EQ(plan.train.updates, 200);  // of 1,024 tokens
  EXPECT_EQ(plan.train.valid_every, 100);
  EXPECT_EQ(plan.train.save_every, 50);
}

TEST(TimePlan, ARunThatMayStopEarlyValidatesMoreOften) {
  TrainConfig train = cosine();
  train.patience = 8;
  const TimePlan plan = plan_time(train, all_open(), {.updates_per_pass = 40, .passes = 100});
  EXPECT_EQ(plan.train.valid_every, 100);
}

TEST(TimePlan, WhatIsGivenStays) {
  TrainConfig train = cosine();
  train.updates = 800;
  train.ema = 0;
  OpenKeys open = all_open();
  open.erase("train.updates");
  open.erase("train.ema");
  const TimePlan plan = plan_time(train, open, {.updates_per_pass = 100});
  EXPECT_EQ(plan.train.updates, 800);
  EXPECT_EQ(plan.train.batch_tokens, 4096);
  EXPECT_EQ(plan.train.ema, 0);
  EXPECT_EQ(plan.train.schedule.warmup, 120);
  EXPECT_EQ(plan.seconds, 0);
  EXPECT_EQ(plan.passes, 8);
}

TEST(TimePlan, ThePapersWarmUpIsShorterInAShortRun) {
  const OpenKeys open{"train.updates", "train.warmup"};
  const TimeFacts facts{.seconds_per_update = 1, .seconds_left = 10000};
  EXPECT_EQ(plan_time(TrainConfig(), open, facts).train.schedule.warmup, 1500);
  const TimeFacts more{.seconds_per_update = 1, .seconds_left = 100000};
  EXPECT_EQ(plan_time(TrainConfig(), open, more).train.schedule.warmup, 4000);
}

TEST(TimePlan, MoreDataIsSeenLessOften) {
  EXPECT_NEAR(worthwhile_passes(29000), 150, 1e-9);
  EXPECT_NEAR(worthwhile_passes(4'500'000), 12, 0.1);
  EXPECT_EQ(worthwhile_passes(0), 200);
  EXPECT_EQ(worthwhile_passes(1'000'000'000), 4);
}

TEST(TimePlan, SomeTimeIsKeptForValidations) {
  EXPECT_NEAR(seconds_for_updates(1200, 10), 1154, 1e-9);
  EXPECT_EQ(seconds_for_updates(10, 60), 1);
}

}  // namespace
}  // namespace yona
