#include "yona/tasks/question_answering/question_objective.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/data/stories/story_examples.h"
#include "yona/train/learner.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

MemoryNetworkConfig objective_config(const StoryVocabulary& vocabulary) {
  MemoryNetworkConfig config;
  config.vocabulary = vocabulary.size();
  config.d_model = 8;
  config.memory = 4;
  return config;
}

// Questions of one batch and those of batches of one have the same losses.
TEST(QuestionObjective, ABatchHasTheLossesOfItsQuestions) {
  const StoryFile file =
      parse_stories("1 A b c.\n2 C.\n3 B?\ty\t1\n1 C a b.\n2 A c?\tx\t1\n", "qa.txt");
  const StoryVocabulary vocabulary = StoryVocabulary::of({file});
  const StoryExamples examples({file}, vocabulary, 4);
  QuestionObjective objective(objective_config(vocabulary), 0.0);
  Parameters parameters(objective.model(), shared_backend("cpu"), Gradients::no);
  parameters.initialise(3);
  Learner learner(objective, parameters, shared_backend("cpu"));
  const auto loss = [&](const std::vector<std::uint32_t>& some) {
    Batch batch;
    examples.fill(some, 0, {}, batch);
    EXPECT_EQ(objective.weight(batch), static_cast<double>(some.size()));
    return learner.evaluate(batch).nll;
  };
  EXPECT_NEAR(loss({0, 1}), loss({0}) + loss({1}), 1e-5);
  EXPECT_GT(loss({0}), 0.0);
}

TEST(QuestionObjective, TheLargestBatchHasEverySideFull) {
  const StoryVocabulary vocabulary({"a", "b"});
  const QuestionObjective objective(objective_config(vocabulary), 0.0);
  const Batch batch = objective.largest_batch(12, shared_backend("cpu"));
  for (const Side& side : batch.sides) {
    EXPECT_EQ(side.rows(), 12);
    EXPECT_EQ(side.examples(), 12);
  }
}

}  // namespace
}  // namespace yona::testing
