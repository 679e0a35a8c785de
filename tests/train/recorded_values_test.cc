#include "yona/train/recorded_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct RecordedSettings {
  std::int64_t seed = 1;
  std::int64_t threads = 2;
  std::int64_t updates = 10;
  std::string subwords = "bpe";
};

ConfigKeys<RecordedSettings> recorded_keys() {
  using S = RecordedSettings;
  return {integer("seed", &S::seed, {0}, OnResume::decides, "…"),
          integer("threads", &S::threads, {1}, OnResume::free, "…"),
          integer("updates", &S::updates, {1}, OnResume::ending, "…"),
          config_key("subwords", &S::subwords, text_codec(), OnResume::fixed, "…")};
}

TEST(RecordedValues, KeepWhatDecidesTheWeights) {
  EXPECT_EQ(recorded_values(RecordedSettings{}, recorded_keys()),
            Json({{"seed", "1"}, {"subwords", "bpe"}}));
}

TEST(RecordedValues, DifferBySettingsThatCanChangeAndThatCannot) {
  const Json then{{"seed", "1"}, {"subwords", "bpe"}};
  const Json now{{"seed", "3"}, {"subwords", "unigram"}};
  const Differences found = values_that_differ(then, now, "train.", recorded_keys());
  EXPECT_THAT(found.changes, ElementsAre("train.seed: 1 → 3"));
  EXPECT_THAT(found.fixed, ElementsAre("train.subwords: bpe → unigram"));
  EXPECT_TRUE(values_that_differ(then, then, "", recorded_keys()).empty());
}

TEST(RecordedValues, AnOlderRecordHadTheDefaultOfWhatItLacks) {
  const Json then = Json::object();
  EXPECT_TRUE(values_that_differ(then, {{"seed", "1"}}, "", recorded_keys()).empty());
  EXPECT_THAT(values_that_differ(then, {{"seed", "2"}}, "", recorded_keys()).changes,
              ElementsAre("seed: 1 → 2"));
  // Without a schedule that ends with the run, another end changes no weight so far.
  EXPECT_TRUE(values_that_differ(then, {{"updates", "20"}}, "", recorded_keys()).empty());
  EXPECT_THAT(
      values_that_differ({{"updates", "10"}}, {{"updates", "20"}}, "", recorded_keys()).changes,
      ElementsAre("updates: 10 → 20"));
}

TEST(RecordedValues, AreShownAsAPersonWouldWriteThem) {
  EXPECT_EQ(shown("a"), "a");
  EXPECT_EQ(shown(""), "''");
  EXPECT_EQ(shown({"a", "b"}), "[a, b]");
  EXPECT_EQ(shown(0.5), "0.5");
}

TEST(RecordedValues, WhatDecaysDoesNotMatterWhereNothingDoes) {
  const Json none{{"train.weight_decay", "0"}};
  const Json some{{"train.weight_decay", "0.1"}};
  EXPECT_FALSE(matters("train.weight_decay_on", none, none));
  EXPECT_TRUE(matters("train.weight_decay_on", none, some));
  EXPECT_TRUE(matters("train.seed", none, none));
}

TEST(RecordedValues, PartsOfAModelAreComparedWhereBothHaveThem) {
  const Differences found =
      parts_that_differ({{"heads", 4}, {"old", 1}}, {{"heads", 8}, {"new", 2}});
  EXPECT_THAT(found.fixed, ElementsAre("model.heads: 4 → 8"));
  EXPECT_THAT(found.changes, IsEmpty());
}

}  // namespace
}  // namespace yona
