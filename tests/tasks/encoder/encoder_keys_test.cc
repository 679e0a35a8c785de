#include "yona/tasks/encoder/encoder_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class EncoderKeysTest : public ::testing::Test {
 protected:
  EncoderKeysTest() { write_bytes(folder_ / "t.txt", "some text\n"); }
  RunConfig config(const std::string& task, const std::vector<ConfigAssignment>& more = {}) const {
    std::vector<ConfigAssignment> settings{{"task", task, ""},
                                           {"data.train", folder_ / "t.txt", ""}};
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve_config("", settings);
  }
  std::string refused(const std::string& task, const std::vector<ConfigAssignment>& more) const {
    return message_of<InvalidArgument>([&] { check_run_config(config(task, more)); });
  }

  TempDir folder_;
};

TEST_F(EncoderKeysTest, DefaultsAreThoseOfThePaper) {
  const RunConfig fine_tuning = config("classification");
  EXPECT_EQ(fine_tuning.preset, "bert-base");
  EXPECT_EQ(fine_tuning.bert.layers, 12);
  EXPECT_EQ(fine_tuning.train.schedule.rate, 5e-5);
  EXPECT_EQ(fine_tuning.train.weight_decay, 0.01);
  const RunConfig training = config("masked-lm");
  EXPECT_EQ(training.texts.masked, 0.15);
  EXPECT_EQ(training.texts.max_length, 128);
  EXPECT_FALSE(training.texts.whole_words);
}

TEST_F(EncoderKeysTest, ATextIsAsLongAsTheModelOrTheSettingAllows) {
  EXPECT_EQ(longest_text(config("classification")), 512);
  EXPECT_EQ(longest_text(config("classification", {{"data.max_length", "40", ""}})), 40);
  EXPECT_EQ(longest_text(config("classification", {{"model.max_positions", "30", ""}})), 30);
}

TEST_F(EncoderKeysTest, KeysOfOneTaskAreNotKeysOfTheOther) {
  EXPECT_THAT(refused("masked-lm", {{"data.problem", "classes", ""}}), HasSubstr("data.problem"));
  EXPECT_THAT(refused("classification", {{"data.whole_words", "true", ""}}),
              HasSubstr("data.whole_words"));
}

TEST_F(EncoderKeysTest, SettingsThatCannotBeAreRefused) {
  EXPECT_THAT(refused("classification", {{"data.max_length", "513", ""}}),
              HasSubstr("data.max_length: 513 is more than model.max_positions 512"));
  EXPECT_THAT(refused("classification", {{"train.best_by", "accuracy", ""}}),
              HasSubstr("train.best_by: accuracy is not among train.valid_metrics"));
  EXPECT_THAT(refused("classification", {{"train.patience", "2", ""}}),
              HasSubstr("train.patience: stopping early needs a validation file"));
  EXPECT_THAT(
      refused("classification", {{"train.valid_metrics", "bleu", ""}}),
      HasSubstr("train.valid_metrics: expected accuracy, f1, matthews or spearman, got 'bleu'"));
  EXPECT_THAT(refused("masked-lm", {{"train.valid_metrics", "accuracy", ""}}),
              HasSubstr("train.valid_metrics: the task masked-lm has the loss alone"));
  EXPECT_THAT(refused("masked-lm", {{"data.masked", "0", "masked"}}),
              HasSubstr("masked: expected a number above 0"));
  EXPECT_THAT(refused("masked-lm", {{"data.masked", "0.95", "masked"}}),
              HasSubstr("and at most 0.9"));
  EXPECT_THAT(refused("masked-lm", {{"data.valid", "/nowhere", ""}}),
              HasSubstr("data.valid: /nowhere: no such file"));
}

}  // namespace
}  // namespace yona::testing
