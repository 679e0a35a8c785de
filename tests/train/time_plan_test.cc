#include "yona/train/time_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/examples.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

OpenKeys all_open() { return {planned_train_keys().begin(), planned_train_keys().end()}; }

TrainConfig cosine() {
  TrainConfig train;
  train.schedule = {.kind = ScheduleKind::cosine, .rate = 0.004, .warmup = 1000};
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

TEST(TimePlan, AWarmUpIsNotMadeLonger) {
  TrainConfig train = cosine();
  train.schedule.warmup = 100;
  const TimePlan plan = plan_time(train, {"train.updates", "train.warmup"},
                                  {.seconds_per_update = 1, .seconds_left = 10000});
  EXPECT_EQ(plan.train.schedule.warmup, 100);
}

TEST(TimePlan, AGivenWarmUpMustLeaveSomethingOfTheRun) {
  const TimeFacts facts{.seconds_per_update = 1, .seconds_left = 500};
  EXPECT_THAT(
      testing::message_of<InvalidArgument>([&] { plan_time(cosine(), {"train.updates"}, facts); }),
      ::testing::HasSubstr("train.warmup: 1000 updates leave nothing of the 500 that were "
                           "planned; give a smaller one, or leave it out"));
}

TEST(TimePlan, EpochsAreALimitToo) {
  TrainConfig train = cosine();
  train.epochs = 3;
  OpenKeys open = all_open();
  open.erase("train.batch_tokens");
  const TimeFacts facts{.seconds_per_update = 0.1, .updates_per_pass = 100.5, .passes = 150};
  EXPECT_EQ(plan_time(train, open, facts).train.updates, 302);
  TimeFacts timed = facts;
  timed.seconds_left = 1000;
  EXPECT_EQ(plan_time(train, open, timed).train.updates, 302);
  timed.seconds_left = 10;
  EXPECT_EQ(plan_time(train, open, timed).train.updates, 100);
}

TEST(TimePlan, ARunThatGoesOnKeepsItsUpdates) {
  const TimePlan plan = plan_time(
      cosine(), {"train.updates"},
      {.seconds_per_update = 1, .seconds_left = 500, .updates_per_pass = 100, .done = 2000});
  EXPECT_EQ(plan.train.updates, 2500);
  EXPECT_EQ(plan.seconds, 500);
}

// Windows of running text.
class Windows : public Examples {
 public:
  explicit Windows(std::uint64_t count) { add_part("train", 1, count, ""); }
  Lengths lengths(std::uint64_t /*example*/) const override { return {1000}; }
  void fill(std::span<const std::uint32_t> /*examples*/, std::int64_t /*batch_tokens*/,
            const Draw& /*draw*/, Batch& /*batch*/) const override {}
};

TEST(TimePlan, TextCountsByItsTokens) {
  EXPECT_NEAR(worthwhile_text_passes(Windows(435)), 150, 1e-9);
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
