// How long runs are for which no number of updates is given, task by task.
#include "yona/tasks/train.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/tasks/config_sources.h"

namespace yona::testing {
namespace {

class TrainTasks : public ::testing::Test {
 protected:
  TrainTasks() {
    std::string rows = "label\tsentence\n";
    std::string text;
    for (int i = 0; i < 40; ++i) {
      rows += i % 2 == 0 ? "good\ta fine film\n" : "bad\ta dull film\n";
      text += "a fine film and a dull film\n";
    }
    write_bytes(folder_ / "t.tsv", rows);
    write_bytes(folder_ / "t.txt", text);
  }

  // What the run kept of its plan.
  TrainConfig planned(const std::vector<ConfigAssignment>& settings) {
    return recorded(settings).train;
  }
  RunConfig recorded(const std::vector<ConfigAssignment>& settings,
                     const std::filesystem::path& init = {}) {
    const std::filesystem::path output = folder_ / "run";
    std::filesystem::remove_all(output);
    std::atomic<bool> stop = true;  // after the first update
    std::int64_t ticks = 0;
    TrainerOptions options{.output = output, .init = init, .threads = 1};
    options.stop = &stop;
    options.clock = [&ticks] { return static_cast<double>(ticks++); };
    train(resolve_config("", settings), options);
    return resolve_config(output / "config.yaml", {});
  }
  std::vector<ConfigAssignment> classification(std::vector<ConfigAssignment> more) const {
    more.insert(more.begin(), {set("task", "classification"), set("preset", "bert-tiny"),
                               set("model.d_model", "16"), set("model.heads", "2"),
                               set("data.train", folder_ / "t.tsv")});
    return more;
  }
  std::vector<ConfigAssignment> language_model(std::vector<ConfigAssignment> more) const {
    more.insert(
        more.begin(),
        {set("task", "language-model"), set("data.tokens", "characters"), set("model.layers", "1"),
         set("model.d_model", "16"), set("model.heads", "2"), set("model.max_positions", "16"),
         set("train.batch_tokens", "256"), set("data.train", folder_ / "t.txt")});
    return more;
  }

  TempDir folder_;
};

TEST_F(TrainTasks, ClassificationWithoutUpdatesFollowsFromTheData) {
  const TrainConfig kept = planned(classification({set("data.valid", folder_ / "t.tsv")}));
  EXPECT_EQ(kept.updates, 40);  // passes, of one batch each
  EXPECT_EQ(kept.schedule.warmup, 6);
  EXPECT_EQ(kept.patience, 8);
  EXPECT_EQ(planned(classification({})).patience, 0);
}

// BERT base at the rate of fine-tuning learns nothing from random weights.
TEST_F(TrainTasks, ANewClassifierIsSmallAndIsTrainedFromRandomWeights) {
  const RunConfig kept =
      recorded({set("task", "classification"), set("data.train", folder_ / "t.tsv")});
  EXPECT_EQ(kept.preset, "bert-tiny");
  EXPECT_EQ(kept.bert.layers, 2);
  EXPECT_EQ(kept.bert.d_model, 128);
  EXPECT_EQ(kept.bert.norm, NormPosition::pre);
  EXPECT_EQ(kept.bert.text_vector, TextVector::mean);
  EXPECT_EQ(kept.bert.dropout, 0.3);
  EXPECT_EQ(kept.texts.hidden, 0.2);
  EXPECT_EQ(kept.train.schedule.rate, 0.001);
}

TEST_F(TrainTasks, TheShapeOfANewClassifierIsCheckedBeforeItsDataAreRead) {
  const std::string message = message_of<InvalidArgument>([&] {
    recorded({set("task", "classification"), set("model.heads", "12"),
              set("data.train", folder_ / "t.tsv")});
  });
  EXPECT_THAT(message, ::testing::HasSubstr("12 heads do not divide model.d_model 128"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run"));
}

TEST_F(TrainTasks, ANewClassifierOfANamedPresetKeepsItsArchitecture) {
  const RunConfig kept =
      recorded({set("task", "classification"), set("preset", "bert-mini"), set("model.layers", "1"),
                set("data.train", folder_ / "t.tsv"), set("data.hidden", "0")});
  EXPECT_EQ(kept.preset, "bert-mini");
  EXPECT_EQ(kept.bert.layers, 1);
  EXPECT_EQ(kept.bert.norm, NormPosition::post);
  EXPECT_EQ(kept.bert.text_vector, TextVector::first);
  EXPECT_EQ(kept.texts.hidden, 0);
  EXPECT_EQ(kept.train.schedule.rate, 0.0005);  // d_model 256
}

TEST_F(TrainTasks, AClassifierToFineTuneKeepsTheSettingsOfBert) {
  recorded(classification({}));
  std::filesystem::rename(folder_ / "run", folder_ / "start");
  const RunConfig kept = recorded(
      {set("task", "classification"), set("data.train", folder_ / "t.tsv")}, folder_ / "start");
  EXPECT_EQ(kept.train.schedule.rate, 5e-5);
  EXPECT_EQ(kept.train.updates, 4);
  EXPECT_EQ(kept.train.batch_tokens, 4096);
  EXPECT_EQ(kept.texts.hidden, 0);
  EXPECT_EQ(kept.bert.dropout, 0.1);
}

TEST_F(TrainTasks, AGivenLearningRateIsKeptAndTheLengthIsStillPlanned) {
  const TrainConfig kept = planned(classification({set("train.learning_rate", "0.001")}));
  EXPECT_EQ(kept.schedule.rate, 0.001);
  EXPECT_EQ(kept.updates, 40);
}

TEST_F(TrainTasks, GivenUpdatesMakeTheWarmUpShorter) {
  const TrainConfig kept = planned(classification({set("train.updates", "20")}));
  EXPECT_EQ(kept.updates, 20);
  EXPECT_EQ(kept.schedule.warmup, 3);
}

TEST_F(TrainTasks, ANamedRecipeKeepsItsUpdates) {
  const TrainConfig kept = planned(language_model({set("preset", "char-small")}));
  EXPECT_EQ(kept.updates, 2000);
  EXPECT_EQ(kept.schedule.warmup, 100);
  const TrainConfig shorter =
      planned(language_model({set("preset", "char-small"), set("train.updates", "20")}));
  EXPECT_EQ(shorter.schedule.warmup, 3);
}

TEST_F(TrainTasks, ALanguageModelWithoutAPresetFollowsFromTheText) {
  const TrainConfig kept = planned(language_model({}));
  EXPECT_GT(kept.updates, 10);
  EXPECT_LT(kept.updates, 100);  // ten passes, as there is no validation
  EXPECT_EQ(kept.patience, 0);
  const TrainConfig validated = planned(language_model({set("data.valid", folder_ / "t.txt")}));
  EXPECT_GT(validated.updates, 500);
  EXPECT_EQ(validated.patience, 8);
}

}  // namespace
}  // namespace yona::testing
