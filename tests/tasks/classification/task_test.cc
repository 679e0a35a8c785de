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
                                           {"train.warmup", "5", ""},
                                           {"train.updates", "40", ""},
                                           {"train.save_every", "20", ""},
                                           {"train.valid_every", "20", ""},
                                           {"train.tensorboard", "false", ""}};
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve_config("", settings);
  }
  fs::path run(const std::string& name, const RunConfig& settings, bool resume = false,
               const fs::path& init = {}) {
    TrainerOptions options{.output = folder_.path() / name, .init = init};
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

TEST_F(Classification, FiguresMustFitTheLabels) {
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run("run", config("t.tsv", {{"data.valid", folder_ / "v.tsv", ""},
                                            {"train.valid_metrics", "spearman", ""}}));
              }),
              HasSubstr("train.valid_metrics: spearman is for numbers"));
}

}  // namespace
}  // namespace yona::testing
