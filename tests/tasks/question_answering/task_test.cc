// Runs of question answering from stories to folders: they learn, and resume to the same bytes.
#include "yona/tasks/question_answering/task.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/input_file.h"
#include "yona/data/stories/story_tasks.h"
#include "yona/io/json_file.h"
#include "yona/io/model_kind.h"
#include "yona/tasks/train.h"

#include "tests/harness/op_case.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class KeepsValidations : public Reporter {
 public:
  void validated(const ValidationReport& report) override { reports.push_back(report); }
  std::vector<ValidationReport> reports;
};

class QuestionAnswering : public ::testing::Test {
 protected:
  RunConfig config(const std::vector<ConfigAssignment>& more = {}) {
    std::vector<ConfigAssignment> settings{{"task", "question-answering", ""},
                                           {"data.tasks", "single-fact,negation", ""},
                                           {"data.questions", "200", ""},
                                           {"model.d_model", "16", ""},
                                           {"model.hops", "2", ""},
                                           {"train.warmup", "1", ""},
                                           {"train.updates", "40", ""},
                                           {"train.save_every", "20", ""},
                                           {"train.valid_every", "20", ""},
                                           {"train.schedule", "constant", ""},
                                           {"train.tensorboard", "false", ""}};
    settings.insert(settings.end(), more.begin(), more.end());
    return resolve_config("", settings);
  }
  RunConfig file_config(const std::vector<ConfigAssignment>& more = {}) {
    std::vector<ConfigAssignment> settings{{"data.tasks", "", ""},
                                           {"data.train", folder_ / "train.txt", ""},
                                           {"data.valid", folder_ / "valid.txt", ""}};
    settings.insert(settings.end(), more.begin(), more.end());
    return config(settings);
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  fs::path run(const std::string& name, const RunConfig& settings, bool resume = false,
               int threads = 1, Reporter* reporter = nullptr) {
    TrainerOptions options{.output = folder_.path() / name};
    options.resume = resume;
    options.threads = threads;
    options.reporter = reporter;
    train(settings, options);
    return folder_.path() / name;
  }

  TempDir folder_;
};

TEST_F(QuestionAnswering, LearnsWherePeopleAre) {
  KeepsValidations kept;
  const fs::path folder = run("run",
                              config({{"data.questions", "1000", ""},
                                      {"train.updates", "1200", ""},
                                      {"train.valid_every", "1200", ""},
                                      {"train.save_every", "1200", ""}}),
                              false, 1, &kept);
  ASSERT_EQ(kept.reports.size(), 3U);
  EXPECT_EQ(kept.reports[0].set, "valid");
  EXPECT_EQ(kept.reports[1].set, "single-fact");
  EXPECT_EQ(kept.reports[2].set, "negation");
  EXPECT_LT(kept.reports[0].figures[0].value, 5.0);  // percent; guessing is above 50
  EXPECT_NEAR(kept.reports[0].figures[0].value,
              0.5 * (kept.reports[1].figures[0].value + kept.reports[2].figures[0].value), 1e-9);
  const Json written = read_json(folder / "config.json");
  EXPECT_EQ(written["yona"]["task"], "question-answering");
  EXPECT_EQ(read_model_kind(folder), ModelKind::question_answering);
}

TEST_F(QuestionAnswering, ARunThatGoesOnWritesTheSameBytes) {
  RunConfig half = config({{"model.tying", "layer-wise", ""}});
  const RunConfig all = half;
  half.train.updates = 20;
  run("parts", half);
  run("parts", all, true);
  const fs::path one = run("one", all);
  for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
    EXPECT_EQ(read_file(folder_.path() / "parts/checkpoints/step-40" / file),
              read_file(one / "checkpoints/step-40" / file));
  }
}

TEST_F(QuestionAnswering, TwoThreadsWriteTheSameBytes) {
  const RunConfig settings = config({{"train.updates", "10", ""}});
  EXPECT_EQ(read_file(run("one", settings) / "model.safetensors"),
            read_file(run("two", settings, false, 2) / "model.safetensors"));
}

TEST_F(QuestionAnswering, FilesAndOtherSettingsOnResumeAreNamed) {
  write("train.txt", make_stories("yes-no", 100, 1));
  write("valid.txt", make_stories("yes-no", 20, 2));
  run("run", file_config({{"train.updates", "20", ""}}));
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                run("run", file_config({{"model.hops", "3", ""}}), true);
              }),
              HasSubstr("model.hops"));
  write("train.txt", make_stories("yes-no", 100, 3));
  EXPECT_THAT(message_of<InvalidArgument>([&] { run("run", file_config(), true); }),
              HasSubstr("train.txt"));
}

TEST_F(QuestionAnswering, BrokenFilesAreNamed) {
  write("train.txt", make_stories("single-fact", 20, 1));
  write("valid.txt", "1 Mary went to the moon.\n2 Where is Mary?\tmoon\t1\n");
  EXPECT_THAT(message_of<FormatError>([&] { run("run", file_config()); }),
              HasSubstr("valid.txt:2: the word 'moon' of this question"));
  write("train.txt", "1 Where is Mary?\tmoon\n");
  EXPECT_THAT(message_of<FormatError>([&] { run("other", file_config()); }),
              HasSubstr("train.txt:1: the question has no sentences above it"));
}

}  // namespace
}  // namespace yona::testing
