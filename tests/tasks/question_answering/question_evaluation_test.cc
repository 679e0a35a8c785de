// The error of a task is the share of its questions that are answered wrongly.
#include "yona/tasks/question_answering/question_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/tasks/question_answering/question_objective.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

// With zero embeddings all logits are equal, and the first word is the answer.
TEST(QuestionEvaluation, ErrorsAreMeansOverTasks) {
  const std::vector<StoryFile> files{
      parse_stories("1 A b.\n2 B?\ta\t1\n3 A?\ta\t1\n", "right"),
      parse_stories("1 A b.\n2 B?\tb\t1\n3 A?\ta\t1\n4 A?\tb\t1\n5 A?\tb\t1\n", "mostly-wrong")};
  const StoryVocabulary vocabulary = StoryVocabulary::of(files);
  MemoryNetworkConfig config;
  config.vocabulary = vocabulary.size();
  config.d_model = 8;
  QuestionObjective objective(config, 0.0);
  Backend& backend = shared_backend("cpu");
  Parameters parameters(objective.model(), backend, Gradients::no);
  set_values(parameters.weights(),
             std::vector<double>(static_cast<std::size_t>(parameters.count())));
  Learner learner(objective, parameters, backend);
  QuestionEvaluation evaluation("valid",
                                std::make_shared<const StoryExamples>(files, vocabulary, 5),
                                objective.model(), backend, {"error", "failed_tasks"});
  const ValidationReport report = evaluation.run(learner);
  EXPECT_EQ(report.set, "valid");
  EXPECT_EQ(report.predictions, 6);
  EXPECT_NEAR(report.loss, std::log(2.0), 1e-6);
  ASSERT_EQ(report.figures.size(), 2U);
  EXPECT_NEAR(report.figures[0].value, (0.0 + 75.0) / 2, 1e-9);
  EXPECT_EQ(report.figures[1].value, 1.0);
}

}  // namespace
}  // namespace yona::testing
