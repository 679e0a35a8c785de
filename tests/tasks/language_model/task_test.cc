// A run of a language model from text files to a model folder: what is written, what repeats, what
// is refused.

#include "yona/tasks/language_model/task.h"

#include <atomic>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/api/model.h"
#include "yona/base/error.h"

#include "tests/harness/lm_folder.h"
#include "tests/tasks/language_model/toy_text.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

class LanguageModelTaskTest : public ToyText {};

TEST_F(LanguageModelTaskTest, WritesAFolderThatGenerates) {
  run(config(), "run");
  const Model model = Model::load(folder_ / "run", {.threads = 1});
  EXPECT_EQ(model.details().task, "language-model");
  EXPECT_EQ(model.details().family, "gpt2");
  EXPECT_EQ(model.generate("the ", {.max_new = 5}).size(), 5U);
}

TEST_F(LanguageModelTaskTest, LearnsASmallLanguage) {
  KeptReports reports;
  const RunConfig longer = config({{"train.updates", "250", ""},
                                   {"train.valid_every", "250", ""},
                                   {"train.save_every", "250", ""},
                                   {"train.batch_tokens", "256", ""},
                                   {"train.learning_rate", "0.01", ""},
                                   {"model.dropout", "0", ""},
                                   {"model.d_model", "32", ""}});
  run(longer, "run", {.threads = 1, .reporter = &reports});
  ASSERT_EQ(reports.validations.size(), 1U);
  // ln(5 · 5 · 4) nats for the three free words of a line of some 26 characters, and what knowing
  // the beginning of a window costs
  EXPECT_LT(reports.validations[0].loss, 0.5);
  EXPECT_GT(reports.validations[0].loss, 0.1);
}

TEST_F(LanguageModelTaskTest, ValidatesAndShowsSamples) {
  KeptReports reports;
  run(config(), "run", {.threads = 1, .reporter = &reports, .samples = 2});
  ASSERT_EQ(reports.validations.size(), 2U);
  const std::string text = read_bytes(folder_ / "valid.txt");
  EXPECT_EQ(reports.validations[0].predictions, static_cast<std::int64_t>(text.size()));
  EXPECT_NEAR(reports.validations[0].nats_per_byte, reports.validations[0].loss, 1e-9);
  ASSERT_EQ(reports.samples.size(), 2U);
  EXPECT_EQ(reports.samples[0].input + reports.samples[0].expected, text.substr(0, 32));
  EXPECT_EQ(reports.samples[0].output.size(), 16U);
  EXPECT_THAT(reports.messages, HasSubstr("tokens in"));
}

TEST_F(LanguageModelTaskTest, AnyNumberOfThreadsGivesTheSameBytes) {
  for (const char* packing : {"stream", "documents"}) {
    const RunConfig settings =
        config({{"data.packing", packing, ""}, {"data.documents", "line", ""}});
    const std::string name = packing;
    run(settings, name + "1", {.threads = 1});
    run(settings, name + "2", {.threads = 2});
    run(settings, name + "3", {.threads = 3});
    const auto one = run_files(folder_ / (name + "1"));
    EXPECT_TRUE(one.contains("checkpoints/step-12/optimizer.safetensors"));
    EXPECT_EQ(one, run_files(folder_ / (name + "2")));
    EXPECT_EQ(one, run_files(folder_ / (name + "3")));
  }
}

// Stops a run after some updates, as Ctrl-C does.
class StoppingReporter : public Reporter {
 public:
  explicit StoppingReporter(std::int64_t update) : update_(update) {}
  void updated(const UpdateReport& report) override { stop = report.update >= update_; }
  std::atomic<bool> stop = false;

 private:
  std::int64_t update_;
};

TEST_F(LanguageModelTaskTest, ARunThatWasStoppedIsResumedToTheByte) {
  const RunConfig settings = config({{"train.ema", "0.9", ""}, {"train.accumulate", "2", ""}});
  run(settings, "straight");
  StoppingReporter reporter(7);
  const TrainResult stopped =
      run(settings, "stopped", {.threads = 2, .reporter = &reporter, .stop = &reporter.stop});
  EXPECT_TRUE(stopped.interrupted);
  EXPECT_EQ(stopped.updates, 7);
  run(settings, "stopped", {.resume = true, .threads = 1});
  for (const char* file : {"model.safetensors", "checkpoints/step-12/model.safetensors",
                           "checkpoints/step-12/optimizer.safetensors"}) {
    EXPECT_EQ(read_bytes(folder_ / "straight" / file), read_bytes(folder_ / "stopped" / file))
        << file;
  }
}

TEST_F(LanguageModelTaskTest, OtherTextOrSettingsAreRefusedWhenARunIsResumed) {
  run(config({{"train.updates", "4", ""}}), "run");
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run(config({{"data.packing", "documents", ""}}), "run", {.resume = true});
              }),
              HasSubstr("data.packing: stream → documents"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run(config({{"data.context", "16", ""}}), "run", {.resume = true});
              }),
              HasSubstr("data.context: auto → 16"));
  write_bytes(folder_ / "train.txt", "the cat sees the dog\n");
  EXPECT_THAT(message_of<InvalidArgument>([&] { run(config(), "run", {.resume = true}); }),
              HasSubstr("train.txt: changed"));
}

TEST_F(LanguageModelTaskTest, BeginsWithAFolderOfTheHub) {
  const LmFolder hub;
  const RunConfig settings = config({{"train.updates", "2", ""}});
  run(settings, "run", {.init = hub.path(), .threads = 1});
  const Model model = Model::load(folder_ / "run", {.threads = 1});
  EXPECT_EQ(model.details().d_model, 16);
  EXPECT_EQ(model.details().target_vocabulary, 40);
  EXPECT_EQ(model.details().max_positions, 24);
  EXPECT_NE(read_bytes(folder_ / "run" / "model.safetensors"),
            read_bytes(hub.path() / "model.safetensors"));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run(settings, "other",
                    {.init = fs::path(YONA_FIXTURES) / "encoders" / "bert-classes", .threads = 1});
              }),
              HasSubstr("bert-classes"));
}

TEST_F(LanguageModelTaskTest, TrainsOnOneLineAndOnALineLongerThanTheContext) {
  write_bytes(folder_ / "train.txt", "ab\n");
  EXPECT_EQ(run(config(), "short").updates, 12);
  std::string words;
  for (int i = 0; i < 100; ++i) {
    words += "word ";
  }
  write_bytes(folder_ / "train.txt", words);
  for (const char* packing : {"stream", "documents"}) {
    const RunConfig settings =
        config({{"data.packing", packing, ""}, {"data.documents", "line", ""}});
    EXPECT_EQ(run(settings, packing).updates, 12);
  }
}

TEST_F(LanguageModelTaskTest, BadTextIsRefusedInOneLine) {
  const auto refused = [&](const std::string& text,
                           const std::vector<ConfigAssignment>& more = {}) {
    write_bytes(folder_ / "bad.txt", text);
    RunConfig settings = config(more);
    settings.language_model.data.train = {folder_ / "bad.txt"};
    return message_of<Error>([&] { run(settings, "bad"); });
  };
  EXPECT_THAT(refused(""), HasSubstr("bad.txt: there is no text to read"));
  EXPECT_THAT(refused("\n\n\n", {{"data.documents", "line", ""}}),
              HasSubstr("bad.txt: there is no text to read"));
  EXPECT_THAT(refused("a \xFF b"), HasSubstr("bad.txt: is not UTF-8"));
  EXPECT_THAT(refused("a\nb\xC3\n", {{"data.documents", "line", ""}}),
              HasSubstr("bad.txt:2: is not UTF-8"));
  RunConfig nowhere = config();
  nowhere.language_model.data.train = {folder_ / "nowhere.txt"};
  EXPECT_THAT(message_of<Error>([&] { run(nowhere, "bad"); }), HasSubstr("nowhere.txt"));
  write_bytes(folder_ / "valid.txt", "");
  EXPECT_THAT(message_of<FormatError>([&] { run(config(), "bad"); }),
              HasSubstr("valid.txt: there is no text to read"));
}

TEST_F(LanguageModelTaskTest, SettingsThatCannotBeAreRefused) {
  const auto refused = [&](const std::vector<ConfigAssignment>& more) {
    return message_of<InvalidArgument>([&] { check_run_config(config(more)); });
  };
  EXPECT_THAT(refused({{"data.context", "33", ""}}),
              HasSubstr("data.context: 33 is more than model.max_positions 32"));
  EXPECT_THAT(refused({{"train.valid_metrics", "bleu", ""}}),
              HasSubstr("train.valid_metrics: language models have the loss and perplexity alone"));
  EXPECT_THAT(refused({{"train.rdrop", "1", ""}}), HasSubstr("train.rdrop: language models have"));
  EXPECT_THAT(refused({{"train.patience", "2", ""}, {"data.valid", "", ""}}),
              HasSubstr("train.patience: stopping early needs a validation file"));
  const LmFolder hub;
  RunConfig both = config();
  both.language_model.data.tokenizer = hub.path();
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { run(both, "bad", {.init = hub.path(), .threads = 1}); }),
      HasSubstr("has its own tokeniser; leave out data.tokenizer"));
}

}  // namespace
}  // namespace yona::testing
