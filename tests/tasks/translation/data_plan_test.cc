#include "yona/tasks/translation/data_plan.h"

#include <atomic>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tasks/recorded_config.h"

#include "tests/tasks/config_sources.h"
#include "tests/train/toy_run.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::set;

TEST(DataPlan, LargerCorporaGetLargerModels) {
  EXPECT_EQ(data_row(29'000).preset, "tiny");
  EXPECT_EQ(data_row(29'000).vocabulary, 6000);
  EXPECT_EQ(data_row(1'000'000).preset, "iwslt");
  EXPECT_EQ(data_row(40'000'000).preset, "base");
}

TEST(DataPlan, DropoutGrowsWithThePassesOverTheData) {
  EXPECT_EQ(planned_dropout(8), 0.1);
  EXPECT_EQ(planned_dropout(32), 0.2);
  EXPECT_EQ(planned_dropout(190), 0.3);
}

TEST(DataPlan, WiderModelsLearnMoreSlowly) {
  EXPECT_DOUBLE_EQ(planned_rate(128), 0.004);
  EXPECT_DOUBLE_EQ(planned_rate(512), 0.001);
}

class PlannedRun : public ::yona::testing::ToyRun {
 protected:
  RunConfig resolved(const std::vector<ConfigAssignment>& more) const {
    RunConfig config = resolve_config("", more);
    config.data.corpora = this->config().data.corpora;
    config.data.valid = this->config().data.valid;
    return config;
  }

  // A clock that goes on by a tenth of a second whenever it is asked.
  TrainerOptions options(const std::string& name) {
    TrainerOptions options;
    options.output = folder_ / name;
    options.threads = 1;
    options.clock = [this] { return 0.1 * static_cast<double>(ticks_++); };
    return options;
  }

  RunConfig recorded(const std::string& name) const {
    return resolve_config(folder_ / name / "config.yaml", {});
  }

  std::vector<ConfigAssignment> small(std::vector<ConfigAssignment> more) const {
    more.push_back(set("model.layers", "1"));
    more.push_back(set("model.d_model", "32"));
    more.push_back(set("model.heads", "2"));
    more.push_back(set("train.batch_tokens", "512"));
    return more;
  }

  std::int64_t ticks_ = 0;
};

TEST_F(PlannedRun, WhatIsGivenStaysAndTheRestFollowsFromTheData) {
  RunConfig config = resolved({set("model.layers", "6"), set("model.d_ff", "2048")});
  plan_translation(config);
  EXPECT_EQ(config.preset, "tiny");
  EXPECT_EQ(config.model.encoder_layers, 6);
  EXPECT_EQ(config.model.decoder_layers, 6);
  EXPECT_EQ(config.model.d_ff, 2048);
  EXPECT_EQ(config.model.d_model, 128);
  EXPECT_EQ(config.model.norm, NormPosition::pre);
  EXPECT_EQ(config.data.vocabulary_size, 4000);
  EXPECT_EQ(config.train.schedule.kind, ScheduleKind::cosine);
}

TEST_F(PlannedRun, WithoutALimitTheDataDecidesAndValidationMayStopIt) {
  const TrainResult result = train(resolved(small({set("train.epochs", "2")})), options("run"));
  EXPECT_GT(result.updates, 1);
  EXPECT_EQ(recorded("run").train.updates, result.updates);  // not the 100 passes of so little data
  EXPECT_EQ(recorded("run").train.patience, 8);
}

TEST_F(PlannedRun, TheTimeCountsFromTheBeginningOfTheCommand) {
  std::atomic<bool> stop = true;  // after the first update
  const auto planned = [&](const std::string& name, std::optional<double> began) {
    ticks_ = 0;
    TrainerOptions run = options(name);
    run.stop = &stop;
    run.began = began;
    train(resolved(small({set("train.time", "60s")})), run);
    return recorded(name).train.updates;
  };
  EXPECT_NEAR(static_cast<double>(planned("late", -10.0)),
              static_cast<double>(planned("run", std::nullopt)) - 100, 1);
}

TEST_F(PlannedRun, ACountOfPairsIsPartOfTheTime) {
  // The clock is asked once before the corpora are read.
  std::vector<std::int64_t> asked;
  TrainerOptions run = options("run");
  run.clock = [&] {
    asked.push_back(ticks_);
    return 0.1 * static_cast<double>(ticks_++);
  };
  RunConfig config = resolved(small({set("train.time", "6s")}));
  config.data.corpora.front().source_files = {folder_ / "none.en"};
  EXPECT_THROW(train(config, run), Error);
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(PlannedRun, AGivenWarmUpThatDoesNotFitIsRefusedInOneLine) {
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                train(resolved(small({set("train.time", "6s"), set("train.schedule", "cosine"),
                                      set("train.warmup", "5000")})),
                      options("run"));
              }),
              HasSubstr("train.warmup: 5000 updates leave nothing of the "));
}

TEST_F(PlannedRun, AGivenWarmUpIsCheckedAgainstUpdatesThatAreNotPlanned) {
  EXPECT_THAT(
      message_of<InvalidArgument>([&] {
        train(resolved(small({set("train.schedule", "cosine"), set("train.warmup", "200000")})),
              options("run"));
      }),
      HasSubstr("train.warmup: 200000 updates leave nothing of train.updates 100000"));
}

TEST_F(PlannedRun, GoesOnByItsRecordWhenAnotherConfigurationLeavesKeysOpen) {
  const auto settings = small({set("train.time", "6s")});
  const TrainResult whole = train(resolved(settings), options("whole"));
  ticks_ = 0;
  std::atomic<bool> stop = true;
  TrainerOptions stopped = options("parts");
  stopped.stop = &stop;
  train(resolved(settings), stopped);
  TrainerOptions resumed = options("parts");
  resumed.resume = true;
  RunConfig again = resolved(settings);
  follow_recorded(again, folder_ / "parts/config.yaml", AllowChanges::no);
  EXPECT_EQ(train(again, resumed).updates, whole.updates);
  EXPECT_EQ(::yona::testing::read_bytes(folder_ / "parts/model.safetensors"),
            ::yona::testing::read_bytes(folder_ / "whole/model.safetensors"));
}

TEST_F(PlannedRun, AnotherTimeThatIsAllowedPlansTheRestAgain) {
  const auto settings = small({set("train.time", "60s")});
  std::atomic<bool> stop = true;
  TrainerOptions stopped = options("run");
  stopped.stop = &stop;
  train(resolved(settings), stopped);
  const std::int64_t planned = recorded("run").train.updates;
  TrainerOptions resumed = options("run");
  resumed.resume = resumed.allow_changes = true;
  ticks_ = 0;
  RunConfig again = resolved(small({set("train.time", "10s")}));
  follow_recorded(again, folder_ / "run/config.yaml", AllowChanges::yes);
  const TrainResult result = train(again, resumed);
  EXPECT_GT(result.updates, 1);
  EXPECT_LT(result.updates, planned / 2);
  EXPECT_EQ(recorded("run").train.seconds, 10);
}

TEST_F(PlannedRun, ATimeBecomesUpdatesThatTheConfigurationKeeps) {
  // 5 s are measured at 0.1 s an update; with 3 % in reserve, 5.8 s minus what is spent is left
  const TrainResult result = train(resolved(small({set("train.time", "6s")})), options("run"));
  EXPECT_GT(result.updates, 20);
  EXPECT_LE(result.updates, 60);
  const RunConfig kept = recorded("run");
  EXPECT_EQ(kept.train.updates, result.updates);
  EXPECT_EQ(kept.train.seconds, 6);
  EXPECT_EQ(kept.train.schedule.kind, ScheduleKind::cosine);
  EXPECT_EQ(kept.train.schedule.warmup, result.updates * 15 / 100);
  EXPECT_EQ(kept.model.norm, NormPosition::pre);
  EXPECT_EQ(kept.train.batch_tokens, 512);
}

TEST_F(PlannedRun, IsResumedToTheSameEndAndTheSameBits) {
  const auto settings = small({set("train.time", "6s")});
  const TrainResult whole = train(resolved(settings), options("whole"));
  ticks_ = 0;
  std::atomic<bool> stop = true;
  TrainerOptions stopped = options("parts");
  stopped.stop = &stop;
  EXPECT_EQ(train(resolved(settings), stopped).updates, 1);
  TrainerOptions resumed = options("parts");
  resumed.resume = true;
  resumed.clock = [] { return 0.0; };
  RunConfig again = resolve_config(folder_ / "parts/config.yaml", {set("train.time", "6s")});
  EXPECT_EQ(train(again, resumed).updates, whole.updates);
  EXPECT_EQ(::yona::testing::read_bytes(folder_ / "parts/model.safetensors"),
            ::yona::testing::read_bytes(folder_ / "whole/model.safetensors"));
}

TEST_F(PlannedRun, GivenUpdatesAreKeptAndNotMeasured) {
  TrainerOptions quick = options("run");
  const TrainResult result = train(resolved(small({set("train.updates", "9")})), quick);
  EXPECT_EQ(result.updates, 9);
  EXPECT_EQ(recorded("run").train.schedule.warmup, 1);
  EXPECT_EQ(recorded("run").model.dropout, 0.1);
}

TEST_F(PlannedRun, ThePapersScheduleKeepsThePapersSettings) {
  train(resolved(small({set("train.updates", "2"), set("train.schedule", "paper")})),
        options("run"));
  EXPECT_EQ(recorded("run").model.norm, NormPosition::post);
  EXPECT_EQ(recorded("run").train.schedule.warmup, 4000);
  EXPECT_EQ(recorded("run").train.ema, 0);
}

TEST(DataPlan, TimeAndUpdatesDoNotGoTogether) {
  EXPECT_THAT(
      message_of<InvalidArgument>([] {
        resolve_config("", {{"train.time", "20m", "--for"}, {"train.updates", "100", "--updates"}});
      }),
      HasSubstr("--for: is given together with --updates"));
}

TEST(DataPlan, ATimeOnTheCommandLineGoesBeforeTheUpdatesOfAFile) {
  const RunConfig config =
      ::yona::testing::from_yaml("train: {updates: 500}", {set("train.time", "20m")});
  EXPECT_TRUE(config.is_open("train.updates"));
  const RunConfig planned =
      ::yona::testing::from_yaml("train: {updates: 500, time: 20m}", {set("train.time", "20m")});
  EXPECT_FALSE(planned.is_open("train.updates"));
}

TEST(DataPlan, AnotherTimeThanThatOfARecordedRunPlansAgain) {
  const char* recorded = "train: {updates: 500, time: 20m, warmup: 75}";
  const RunConfig config = ::yona::testing::from_yaml(recorded, {set("train.time", "10m")});
  EXPECT_TRUE(config.is_open("train.updates"));
  EXPECT_TRUE(config.is_open("train.warmup"));
  const RunConfig same = ::yona::testing::from_yaml(recorded, {set("train.time", "1200s")});
  EXPECT_FALSE(same.is_open("train.updates"));
  const RunConfig own =
      ::yona::testing::from_yaml("train: {time: 20m, warmup: 75}", {set("train.time", "10m")});
  EXPECT_FALSE(own.is_open("train.warmup"));
}

TEST(DataPlan, ATimeHasUnits) {
  const auto seconds = [](const std::string& text) {
    return resolve_config("", {set("train.time", text)}).train.seconds;
  };
  EXPECT_EQ(seconds("90s"), 90);
  EXPECT_EQ(seconds("20m"), 1200);
  EXPECT_EQ(seconds("1h30m"), 5400);
  EXPECT_EQ(seconds("any"), 0);
  for (const char* wrong : {"20", "m", "0m", "30m1h", "-5m", "1.5h", "5 m", ""}) {
    EXPECT_THAT(::yona::testing::set_error("train.time", wrong), HasSubstr("expected a time"))
        << wrong;
  }
}

TEST_F(PlannedRun, TheFolderCanBeLoadedAfterTheFirstUpdate) {
  std::atomic<bool> stop = true;
  TrainerOptions stopped = options("run");
  stopped.stop = &stop;
  train(resolved(small({set("train.updates", "1000")})), stopped);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/model.safetensors"));
}

}  // namespace
}  // namespace yona
