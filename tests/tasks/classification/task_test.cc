// Runs of classification from files to folders: they learn, and resume to the same bytes.
#include "yona/tasks/classification/task.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/encode/encoder_model.h"
#include "yona/tasks/train.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Classification : public ::testing::Test {
 protected:
  Classification() {
    std::string train = "label\tsentence\n";
    const std::vector<std::string> things{"film", "plot", "song", "book", "play"};
    for (int i = 0; i < 60; ++i) {
      const std::string& thing = things[static_cast<std::size_t>(i) % things.size()];
      train += i % 2 == 0 ? "good\ta fine " + thing + "\n" : "bad\ta dull " + thing + "\n";
    }
    write_bytes(folder_ / "t.tsv", train);
    write_bytes(folder_ / "v.tsv", "label\tsentence\ngood\tfine book\nbad\tdull song\n");
    write_bytes(folder_ / "n.tsv", "label\tsentence\n0.5\ta fine film\n-1\ta dull film\n");
  }

  RunConfig config(const std::string& train, const std::vector<ConfigAssignment>& more = {}) {
    std::vector<ConfigAssignment> settings{{"task", "classification", ""},
                                           {"preset", "bert-tiny", ""},
                                           {"data.train", folder_ / train, ""},
                                           {"model.d_model", "32", ""},
                                           {"model.d_ff", "64", ""},
                                           {"train.learning_rate", "0.003", ""},
                                           {"train.warmup", "1", ""},
                                           {"train.updates", "40", ""},
                                           {"train.save_every", "20", ""},
                                           {"train.valid_every", "20", ""},
                                           {"train.tensorboard", "false", ""}};
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve_config("", settings);
  }
  fs::path run(const std::string& name, const RunConfig& settings, bool resume = false,
               const fs::path& init = {}, int threads = 0) {
    TrainerOptions options{.output = folder_.path() / name, .init = init, .threads = threads};
    options.resume = resume;
    train(settings, options);
    return folder_.path() / name;
  }

  TempDir folder_;
};

TEST_F(Classification, LearnsWhichWordsAreGood) {
  const fs::path folder = run("run", config("t.tsv", {{"data.valid", folder_ / "v.tsv", ""},
                                                      {"train.valid_metrics", "accuracy", ""}}));
  const auto model = EncoderModel::load(folder, shared_backend("cpu"));
  const auto answers = model->classify({{"a fine song"}, {"a dull book"}});
  EXPECT_EQ(answers[0].labels[0].label, "good");
  EXPECT_EQ(answers[1].labels[0].label, "bad");
  EXPECT_EQ(model->info().family, "bert");
}

TEST_F(Classification, ARunThatGoesOnWritesTheSameBytes) {
  RunConfig half = config("t.tsv", {{"train.schedule", "constant", ""}});
  RunConfig all = half;
  half.train.updates = 20;
  run("parts", half);
  run("parts", all, true);
  const fs::path one = run("one", all);
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    EXPECT_EQ(read_file(folder_.path() / "parts/checkpoints/step-40" / file),
              read_file(one / "checkpoints/step-40" / file));
  }
}

TEST_F(Classification, AnyNumberOfThreadsGivesTheSameBytes) {
  const RunConfig settings =
      config("t.tsv", {{"train.updates", "10", ""}, {"train.rdrop", "1", ""}});
  const fs::path one = run("one", settings, false, {}, 1);
  for (const int threads : {2, 3}) {
    const fs::path more = run("run" + std::to_string(threads), settings, false, {}, threads);
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      EXPECT_EQ(read_file(one / "checkpoints/step-10" / file),
                read_file(more / "checkpoints/step-10" / file))
          << threads << " " << file;
    }
  }
}

// The two texts are equal, and the second one decides.
TEST_F(Classification, ReadsBothTextsOfAPair) {
  std::string pairs = "label\tsentence\tsecond\n";
  for (int i = 0; i < 40; ++i) {
    pairs += i % 2 == 0 ? "yes\ta man sleeps\the rests\n" : "no\ta man sleeps\the runs\n";
  }
  write_bytes(folder_ / "p.tsv", pairs);
  const fs::path folder = run("run", config("p.tsv", {{"train.updates", "60", ""}}));
  const auto model = EncoderModel::load(folder, shared_backend("cpu"));
  const auto answers = model->classify({{"a man sleeps", "he rests"}, {"a man sleeps", "he runs"}});
  EXPECT_EQ(answers[0].labels[0].label, "yes");
  EXPECT_EQ(answers[1].labels[0].label, "no");
}

TEST_F(Classification, NumbersAreARegression) {
  const fs::path folder = run("run", config("n.tsv", {{"train.updates", "60", ""},
                                                      {"model.dropout", "0", ""},
                                                      {"model.classifier_dropout", "0", ""},
                                                      {"model.attention_dropout", "0", ""}}));
  const auto model = EncoderModel::load(folder, shared_backend("cpu"));
  const auto answers = model->classify({{"a fine film"}, {"a dull film"}});
  EXPECT_EQ(model->info().problem, Problem::regression);
  EXPECT_NEAR(answers[0].labels[0].score, 0.5, 0.2);
  EXPECT_NEAR(answers[1].labels[0].score, -1.0, 0.2);
}

TEST_F(Classification, BeginsWithAFolderOfTheHub) {
  const fs::path init = fs::path(YONA_FIXTURES) / "encoders" / "roberta-masked-lm";
  const fs::path folder = run("run", config("t.tsv", {{"train.updates", "6", ""}}), false, init);
  const auto model = EncoderModel::load(folder, shared_backend("cpu"));
  EXPECT_EQ(model->info().family, "roberta");
  EXPECT_EQ(model->info().labels, (std::vector<std::string>{"bad", "good"}));
  EXPECT_FALSE(model->info().config.masked_lm);
}

TEST_F(Classification, AnUnknownLabelOfTheValidationFileIsNamed) {
  write_bytes(folder_ / "v.tsv", "label\tsentence\nfair\tfine book\n");
  EXPECT_THAT(message_of<FormatError>([&] {
                run("run", config("t.tsv", {{"data.valid", folder_ / "v.tsv", ""}}));
              }),
              HasSubstr("v.tsv:2: the label 'fair' is unknown; those of the training data are "
                        "bad, good"));
}

TEST_F(Classification, BadFilesAreRefusedInOneLine) {
  const auto refused = [&](const std::string& content) {
    write_bytes(folder_ / "b.tsv", content);
    return message_of<FormatError>([&] { run("bad", config("b.tsv")); });
  };
  EXPECT_THAT(refused(""), HasSubstr("b.tsv: is empty; its first line names the columns"));
  EXPECT_THAT(refused("label\tsentence\n"), HasSubstr("b.tsv: has no texts after its header"));
  EXPECT_THAT(refused("good\ta film\n"), HasSubstr("b.tsv:1: the columns are 'good', 'a film'"));
  EXPECT_THAT(refused("label\tsentence\ngood\n"), HasSubstr("b.tsv:2: 1 columns"));
  EXPECT_THAT(refused("label\tsentence\ngood\ta\ngood\tb\n"),
              HasSubstr("data.train: every label is 'good'; there is nothing to learn"));
  EXPECT_THAT(refused("label\tsentence\ngood\ta\nbad\tb\xFF\n"),
              HasSubstr("b.tsv:3: is not UTF-8"));
}

TEST_F(Classification, ATextLongerThanThePositionsIsCutAndSaidSo) {
  class Messages : public Reporter {
   public:
    void message(MessageLevel /*level*/, std::string_view text) override {
      said += std::string(text) + "\n";
    }
    std::string said;
  };
  std::string longer = "label\tsentence\nbad\tshort\ngood\t";
  for (int i = 0; i < 50; ++i) {
    longer += "word ";
  }
  write_bytes(folder_ / "l.tsv", longer + "\n");
  Messages messages;
  train(config("l.tsv", {{"train.updates", "2", ""}, {"data.max_length", "16", ""}}),
        {.output = folder_ / "run", .threads = 1, .reporter = &messages});
  EXPECT_THAT(messages.said, HasSubstr("train: 1 text cut to 16 tokens (data.max_length)"));
}

TEST_F(Classification, FiguresMustFitTheLabels) {
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run("run", config("t.tsv", {{"data.valid", folder_ / "v.tsv", ""},
                                            {"train.valid_metrics", "spearman", ""}}));
              }),
              HasSubstr("train.valid_metrics: spearman is for numbers"));
}

}  // namespace
}  // namespace yona::testing
