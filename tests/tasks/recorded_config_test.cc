#include "yona/tasks/recorded_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tasks/config_sources.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::set;

class RecordedConfig : public ::testing::Test {
 protected:
  RecordedConfig() {
    // What a run keeps that was planned for 20 minutes.
    RunConfig planned = resolve_config("", {set("preset", "tiny"), set("train.time", "20m")});
    planned.model.norm = NormPosition::pre;
    planned.train.updates = 3285;
    planned.train.schedule = {.kind = ScheduleKind::cosine, .rate = 0.004, .warmup = 492};
    planned.train.label_smoothing = 0.2;
    testing::write_bytes(file_, to_yaml(planned));
  }

  RunConfig followed(const std::vector<ConfigAssignment>& more,
                     AllowChanges allow = AllowChanges::no) const {
    RunConfig config = resolve_config("", more);
    follow_recorded(config, file_, allow);
    return config;
  }

  testing::TempDir folder_;
  std::filesystem::path file_ = folder_ / "config.yaml";
};

TEST_F(RecordedConfig, HasWhatWasPlannedForKeysThatAreLeftOpen) {
  const RunConfig config = followed({set("train.time", "20m")});
  EXPECT_EQ(config.preset, "tiny");
  EXPECT_EQ(config.model.d_model, 128);
  EXPECT_EQ(config.model.norm, NormPosition::pre);
  EXPECT_EQ(config.train.updates, 3285);
  EXPECT_EQ(config.train.schedule.kind, ScheduleKind::cosine);
  EXPECT_EQ(config.train.schedule.warmup, 492);
  EXPECT_FALSE(config.is_open("train.updates"));
  EXPECT_FALSE(config.is_open("train.schedule"));
}

TEST_F(RecordedConfig, WhatIsGivenStays) {
  const RunConfig config =
      followed({set("model.layers", "2"), set("model.d_ff", "77"), set("train.updates", "9")});
  EXPECT_EQ(config.model.encoder_layers, 2);
  EXPECT_EQ(config.model.decoder_layers, 2);
  EXPECT_EQ(config.model.d_ff, 77);
  EXPECT_EQ(config.model.d_model, 128);
  EXPECT_EQ(config.train.updates, 9);
}

TEST_F(RecordedConfig, KeysThatNoPlanChoosesAreAsTheConfigurationHasThem) {
  EXPECT_EQ(followed({}).train.label_smoothing, 0.1);
  EXPECT_EQ(followed({}).train.seconds, 1200);
}

TEST_F(RecordedConfig, AnotherTimeIsRefused) {
  EXPECT_THAT(message_of<InvalidArgument>([&] { followed({set("train.time", "10m")}); }),
              HasSubstr("train.time (--for): 10m is not the 20m that " + file_.string() +
                        " was planned for; leave it out"));
}

TEST_F(RecordedConfig, AnotherTimeThatIsAllowedLeavesTheUpdatesOpen) {
  const RunConfig config = followed({set("train.time", "10m")}, AllowChanges::yes);
  EXPECT_TRUE(config.is_open("train.updates"));
  EXPECT_EQ(config.train.seconds, 600);
  EXPECT_EQ(config.train.schedule.warmup, 492);
  EXPECT_FALSE(config.is_open("train.warmup"));
}

TEST_F(RecordedConfig, ARunThatBeginsHasNone) {
  RunConfig config = resolve_config("", {});
  follow_recorded(config, folder_ / "none.yaml", AllowChanges::no);
  EXPECT_TRUE(config.is_open("train.updates"));
}

}  // namespace
}  // namespace yona
