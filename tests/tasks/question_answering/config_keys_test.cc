#include "yona/tasks/question_answering/config_keys.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

RunConfig question_config(const std::vector<ConfigAssignment>& more) {
  std::vector<ConfigAssignment> settings{{"task", "question-answering", ""}};
  settings.insert(settings.end(), more.begin(), more.end());
  return resolve_config("", settings);
}

std::string refused(const std::vector<ConfigAssignment>& more) {
  return message_of<InvalidArgument>([&] { check_run_config(question_config(more)); });
}

TEST(QuestionKeys, DefaultsTrainOnAllGeneratedTasks) {
  const RunConfig config = question_config({});
  check_run_config(config);
  EXPECT_TRUE(config.questions.train.empty());
  EXPECT_TRUE(config.questions.tasks.empty());
  EXPECT_EQ(config.train.best_by, "error");
}

TEST(QuestionKeys, ArchitecturesAndTyingAreChosenByName) {
  const RunConfig config =
      question_config({{"model.arch", "memory-network", ""}, {"model.tying", "layer-wise", ""}});
  EXPECT_EQ(config.memory_network.tying, MemoryTying::layer_wise);
  EXPECT_THAT(message_of<InvalidArgument>([] {
                question_config({{"model.arch", "rnn", ""}});
              }),
              HasSubstr("memory-network"));
}

TEST(QuestionKeys, WhatDoesNotGoTogetherIsNamed) {
  const TempDir folder;
  const std::string file = folder / "qa.txt";
  std::ofstream(file) << "1 A b.\n";
  EXPECT_THAT(refused({{"data.train", file, ""}, {"data.tasks", "lists", ""}}),
              HasSubstr("data.tasks: are stories of the generator, but data.train names files"));
  EXPECT_THAT(refused({{"data.valid", file, ""}}), HasSubstr("data.valid: names files"));
  EXPECT_THAT(refused({{"data.train", file + "x", ""}}), HasSubstr("no such file"));
  EXPECT_THAT(refused({{"data.tasks", "riddles", ""}}),
              HasSubstr("data.tasks: 'riddles' is not a task of the generator; use single-fact"));
  EXPECT_THAT(refused({{"train.rdrop", "1", ""}}), HasSubstr("a memory network has no dropout"));
  EXPECT_THAT(refused({{"train.valid_metrics", "failed_tasks", ""}}),
              HasSubstr("train.best_by: error is not among train.valid_metrics"));
  EXPECT_THAT(refused({{"train.valid_metrics", "accuracy", ""}, {"train.best_by", "loss", ""}}),
              HasSubstr("train.valid_metrics: expected error or failed_tasks, got 'accuracy'"));
  EXPECT_THAT(refused({{"data.train", file, ""}, {"train.patience", "3", ""}}),
              HasSubstr("train.patience: stopping early needs a validation file"));
}

}  // namespace
}  // namespace yona::testing
