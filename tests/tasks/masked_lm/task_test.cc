// Runs of masked-lm from text to a folder: they learn, repeat, and resume to the same bytes.
#include "yona/tasks/masked_lm/task.h"

#include <atomic>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/encode/encoder_model.h"
#include "yona/tasks/train.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class MaskedLmTaskTest : public ::testing::Test {
 protected:
  MaskedLmTaskTest() {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      text += i % 2 == 0 ? "the cat sees the dog\n" : "a farmer has a house\n";
      text += i % 10 == 9 ? "\n" : "";
    }
    write_bytes(folder_ / "t.txt", text);
    write_bytes(folder_ / "v.txt", "the cat sees the dog\na farmer has a house\n");
  }

  RunConfig config(const std::vector<ConfigAssignment>& more = {}) const {
    std::vector<ConfigAssignment> settings{{"task", "masked-lm", ""},
                                           {"preset", "bert-tiny", ""},
                                           {"data.train", folder_ / "t.txt", ""},
                                           {"data.valid", folder_ / "v.txt", ""},
                                           {"data.max_length", "16", ""},
                                           {"data.vocabulary_size", "60", ""},
                                           {"model.d_model", "16", ""},
                                           {"model.d_ff", "32", ""},
                                           {"train.batch_tokens", "128", ""},
                                           {"train.warmup", "1", ""},
                                           {"train.updates", "12", ""},
                                           {"train.save_every", "6", ""},
                                           {"train.valid_every", "6", ""},
                                           {"train.tensorboard", "false", ""}};
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve_config("", settings);
  }
  TrainResult run(const RunConfig& settings, const std::string& name,
                  TrainerOptions options = {.threads = 1}) const {
    options.output = folder_ / name;
    return train(settings, options);
  }
  void expect_same(const std::string& one, const std::string& other, const char* step) const {
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      const std::string bytes = read_bytes(folder_ / one / "checkpoints" / step / file);
      EXPECT_FALSE(bytes.empty());
      EXPECT_EQ(bytes, read_bytes(folder_ / other / "checkpoints" / step / file))
          << one << " " << other << " " << file;
    }
  }

  TempDir folder_;
};

TEST_F(MaskedLmTaskTest, LearnsToFillInWords) {
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    lines += "the cat sees the dog\n\na farmer has a house\n\n";
  }
  write_bytes(folder_ / "t.txt", lines);
  const RunConfig settings = config({{"train.updates", "300", ""},
                                     {"train.valid_every", "300", ""},
                                     {"train.save_every", "300", ""},
                                     {"train.learning_rate", "0.003", ""},
                                     {"model.d_model", "32", ""},
                                     {"model.dropout", "0", ""},
                                     {"model.attention_dropout", "0", ""}});
  run(settings, "run");
  const auto model = EncoderModel::load(folder_ / "run", shared_backend("cpu"));
  EXPECT_TRUE(model->info().config.masked_lm);
  EXPECT_EQ(model->fill("the [MASK] sees the dog", 1)[0].candidates[0].token, "cat");
  EXPECT_EQ(model->fill("a farmer has a [MASK]", 1)[0].candidates[0].token, "house");
}

TEST_F(MaskedLmTaskTest, AnyNumberOfThreadsGivesTheSameBytes) {
  const RunConfig settings = config({{"data.whole_words", "true", ""}});
  run(settings, "one", {.threads = 1});
  run(settings, "two", {.threads = 2});
  run(settings, "three", {.threads = 3});
  expect_same("one", "two", "step-12");
  expect_same("one", "three", "step-12");
}

TEST_F(MaskedLmTaskTest, ARunThatWasStoppedIsResumedToTheByte) {
  class Stopper : public Reporter {
   public:
    void updated(const UpdateReport& report) override { stop = report.update >= 7; }
    std::atomic<bool> stop = false;
  };
  run(config(), "straight");
  Stopper stopper;
  EXPECT_TRUE(run(config(), "stopped", {.threads = 2, .reporter = &stopper, .stop = &stopper.stop})
                  .interrupted);
  run(config(), "stopped", {.resume = true, .threads = 1});
  expect_same("straight", "stopped", "step-12");
}

TEST_F(MaskedLmTaskTest, WhatWouldBeClassifiedIsNoDifferenceWhenARunIsResumed) {
  const RunConfig settings = config({{"model.text_vector", "mean", ""},
                                     {"model.pooler", "relu", ""},
                                     {"train.schedule", "constant", ""},
                                     {"train.updates", "6", ""}});
  run(settings, "run");
  RunConfig longer = settings;
  longer.train.updates = 8;
  EXPECT_EQ(run(longer, "run", {.resume = true, .threads = 1}).updates, 8);
}

TEST_F(MaskedLmTaskTest, BeginsWithAFolderOfTheHub) {
  const fs::path init = fs::path(YONA_FIXTURES) / "encoders" / "roberta-masked-lm";
  run(config({{"train.updates", "2", ""}}), "run", {.init = init, .threads = 1});
  const auto model = EncoderModel::load(folder_ / "run", shared_backend("cpu"));
  EXPECT_EQ(model->info().family, "roberta");
  EXPECT_EQ(model->fill("the <mask>", 2)[0].candidates.size(), 2U);
}

TEST_F(MaskedLmTaskTest, OtherMasksOrTextAreRefusedWhenARunIsResumed) {
  run(config({{"train.updates", "2", ""}}), "run");
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run(config({{"data.masked", "0.3", ""}}), "run", {.resume = true});
              }),
              HasSubstr("data.masked: 0.15 → 0.3"));
  write_bytes(folder_ / "t.txt", "the cat\n");
  EXPECT_THAT(message_of<InvalidArgument>([&] { run(config(), "run", {.resume = true}); }),
              HasSubstr("t.txt: changed"));
}

TEST_F(MaskedLmTaskTest, TakesALineLongerThanTheSequencesAndASingleWord) {
  std::string words;
  for (int i = 0; i < 100; ++i) {
    words += "word other ";
  }
  write_bytes(folder_ / "t.txt", words);
  EXPECT_EQ(run(config({{"train.updates", "2", ""}}), "long").updates, 2);
  write_bytes(folder_ / "t.txt", "word");
  EXPECT_EQ(run(config({{"train.updates", "2", ""}}), "short").updates, 2);
}

TEST_F(MaskedLmTaskTest, BadTextIsRefusedInOneLine) {
  const auto refused = [&](const std::string& text) {
    write_bytes(folder_ / "t.txt", text);
    return message_of<Error>([&] { run(config(), "bad"); });
  };
  EXPECT_THAT(refused(""), HasSubstr("t.txt: has no text"));
  EXPECT_THAT(refused("\n\n \n"), HasSubstr("t.txt: has no text"));
  EXPECT_THAT(refused(std::string((1U << 20U) + 1, 'a')),
              HasSubstr("t.txt:1: a line of more than 1048576 bytes"));
  EXPECT_THAT(message_of<Error>([&] {
                check_run_config(config({{"data.train", "nowhere", ""}}));
              }),
              HasSubstr("data.train: nowhere: no such file"));
  EXPECT_THAT(message_of<Error>([&] {
                check_run_config(config({{"data.max_length", "600", ""}}));
              }),
              HasSubstr("data.max_length: 600 is more than model.max_positions"));
}

}  // namespace
}  // namespace yona::testing
