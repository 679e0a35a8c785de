#include "yona/api/train.h"

#include <cmath>

#include <gmock/gmock.h>

#include "yona/api/model.h"
#include "yona/data/builtin/generator.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

class TrainTest : public ::testing::Test {
 protected:
  TrainTest() {
    builtin::Generator generator({.seed = 5}, builtin::Split::train);
    std::string english, german;
    for (int i = 0; i < 200; ++i) {
      const auto [source, target] = generator.next_pair();
      english += source + "\n";
      german += target + "\n";
    }
    write_bytes(folder_ / "train.en", english);
    write_bytes(folder_ / "train.de", german);
  }
  TrainOptions options(const std::string& run, const std::string& updates) const {
    return {.output = folder_ / run,
            .source = {folder_ / "train.en"},
            .target = {folder_ / "train.de"},
            .valid = {{.source = folder_ / "train.en", .target = folder_ / "train.de"}},
            .settings = {{"preset", "tiny"},
                         {"model.encoder_layers", "1"},
                         {"model.decoder_layers", "1"},
                         {"model.d_model", "32"},
                         {"data.vocabulary_size", "420"},
                         {"data.source_language", "en"},
                         {"data.target_language", "de"},
                         {"train.batch_tokens", "500"},
                         {"train.schedule", "paper"},  // which does not end with the run
                         {"train.updates", updates}}};
  }

  TempDir folder_;
};

TEST_F(TrainTest, MakesAFolderThatAModelIsLoadedFrom) {
  std::vector<std::int64_t> updates;
  const TrainSummary summary = train(
      options("run", "4"), [&](const UpdateReport& report) { updates.push_back(report.update); });
  EXPECT_EQ(updates, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(summary.updates, 4);
  EXPECT_TRUE(std::isfinite(summary.best_loss));
  EXPECT_FALSE(summary.interrupted);
  const ModelDetails details = Model::load(folder_ / "run").details();
  EXPECT_EQ(details.d_model, 32);
  EXPECT_EQ(details.target_language, "de");
}

TEST_F(TrainTest, ResumesByTheConfigurationOfTheRun) {
  train(options("once", "4"));
  train(options("twice", "2"));
  const TrainSummary summary =
      train({.output = folder_ / "twice", .settings = {{"train.updates", "4"}}, .resume = true});
  EXPECT_EQ(summary.updates, 4);
  EXPECT_TRUE(read_bytes(folder_ / "twice/model.safetensors") ==
              read_bytes(folder_ / "once/model.safetensors"));
}

TEST_F(TrainTest, BeginsWithAnotherModel) {
  train(options("first", "2"));
  TrainOptions second{.output = folder_ / "second",
                      .source = {folder_ / "train.en"},
                      .target = {folder_ / "train.de"},
                      .settings = {{"train.updates", "1"}, {"train.batch_tokens", "500"}},
                      .init = folder_ / "first"};
  EXPECT_EQ(train(second).updates, 1);
  EXPECT_EQ(Model::load(folder_ / "second").details().d_model, 32);
}

TEST_F(TrainTest, TellsAReporterWhatIsSeldomMeant) {
  class Messages : public Reporter {
   public:
    void message(MessageLevel level, std::string_view text) override {
      if (level == MessageLevel::warning) {
        warnings += std::string(text) + "\n";
      }
    }
    std::string warnings;
  } messages;
  TrainOptions run = options("run", "1");
  run.settings.push_back({"train.learning_rate", "0.0001"});
  train(run, &messages);
  EXPECT_THAT(messages.warnings, HasSubstr("learning_rate"));
}

TEST_F(TrainTest, SavesAndEndsWhenAsked) {
  std::atomic<bool> stop{false};
  TrainOptions run = options("run", "50");
  run.stop = &stop;
  const TrainSummary summary =
      train(run, [&](const UpdateReport& report) { stop = report.update >= 2; });
  EXPECT_TRUE(summary.interrupted);
  EXPECT_LT(summary.updates, 50);
}

TEST_F(TrainTest, NamesTheSettingThatIsWrong) {
  TrainOptions run = options("run", "none");
  EXPECT_THAT(message_of<InvalidArgument>([&] { train(run); }), HasSubstr("train.updates"));
  run.settings.back() = {"train.updates", "none", "--updates"};
  EXPECT_THAT(message_of<InvalidArgument>([&] { train(run); }), HasSubstr("--updates"));
}

TEST_F(TrainTest, OtherTasksHaveTheirOwnFiles) {
  TrainOptions options{.output = folder_ / "lm",
                       .settings = {{"task", "language-model"},
                                    {"preset", "char-small"},
                                    {"model.layers", "1"},
                                    {"model.d_model", "16"},
                                    {"model.heads", "2"},
                                    {"model.max_positions", "32"},
                                    {"train.batch_tokens", "64"},
                                    {"train.warmup", "1"},
                                    {"train.updates", "2"},
                                    {"train.tensorboard", "false"}},
                       .threads = 1};
  options.train = {folder_ / "train.en", folder_ / "train.de"};
  options.held_out = folder_ / "train.de";
  const TrainSummary summary = train(options);
  EXPECT_EQ(summary.updates, 2);
  EXPECT_TRUE(std::isfinite(summary.best_loss));
  EXPECT_EQ(Model::load(folder_ / "lm", {.threads = 1}).details().task, "language-model");
  TrainOptions pairs = this->options("pairs", "2");
  pairs.train = {folder_ / "train.en"};
  EXPECT_THAT(message_of<InvalidArgument>([&] { train(pairs); }),
              HasSubstr("data.train: the task translation learns from pairs of files"));
}

}  // namespace
}  // namespace yona::testing
