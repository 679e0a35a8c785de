#include "yona/tasks/classification/classification_objective.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/data/labelled_texts.h"
#include "yona/nn/parameters.h"

#include "tests/harness/objective_losses.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"

namespace yona::testing {
namespace {

BertConfig toy_classifier(std::int64_t labels) {
  BertConfig config;
  config.vocabulary = 11;
  config.layers = 1;
  config.d_model = 8;
  config.d_ff = 16;
  config.heads = 2;
  config.dropout = config.attention_dropout = config.classifier_dropout = 0.0;
  config.max_positions = 16;
  config.labels = labels;
  return config;
}

Batch text_batch(const std::vector<std::vector<std::int32_t>>& texts) {
  Batch batch;
  batch.clear();
  for (const auto& text : texts) {
    batch.sides[kText].ids.insert(batch.sides[kText].ids.end(), text.begin(), text.end());
    batch.sides[kTypes].ids.resize(batch.sides[kText].ids.size(), 0);
    batch.sides[kText].end_example();
    batch.sides[kTypes].end_example();
    batch.example_ids.push_back(batch.example_ids.size());
    batch.weights.push_back(1.0F);
  }
  return batch;
}
Batch class_batch(const std::vector<std::vector<std::int32_t>>& texts,
                  const std::vector<std::int32_t>& labels) {
  Batch batch = text_batch(texts);
  for (const std::int32_t label : labels) {
    batch.sides[kLabel].ids.push_back(label);
    batch.sides[kLabel].end_example();
  }
  return batch;
}
Batch number_batch(const std::vector<std::vector<std::int32_t>>& texts,
                   const std::vector<float>& numbers) {
  Batch batch = text_batch(texts);
  batch.sides[kLabel].width = 1;
  for (const float number : numbers) {
    batch.sides[kLabel].values.push_back(number);
    batch.sides[kLabel].end_example();
  }
  return batch;
}

class ToyClassifier {
 public:
  ToyClassifier(std::int64_t labels, const ClassificationLoss& loss)
      : objective(toy_classifier(labels), loss),
        parameters_(objective.model(), shared_backend("cpu"), Gradients::no),
        region_(shared_backend("cpu"), std::int64_t{1} << 24U) {
    set_values(parameters_.weights(), random_values(parameters_.count(), 5, -0.7, 0.7));
  }
  // The second column of [S, 2].
  std::vector<double> losses(const Batch& batch) { return row_nll(objective, batch, region_); }

  ClassificationObjective objective;

 private:
  Parameters parameters_;
  Region region_;
};

TEST(ClassificationObjective, ProbabilitiesOfAllLabelsAddUpToOne) {
  ToyClassifier toy(3, {});
  double sum = 0;
  for (const std::int32_t label : {0, 1, 2}) {
    sum += std::exp(-toy.losses(class_batch({{2, 5, 3}}, {label})).at(0));
  }
  EXPECT_NEAR(sum, 1.0, 1e-5);
}

TEST(ClassificationObjective, TextsOfABatchDoNotSeeEachOther) {
  ToyClassifier toy(3, {});
  const std::vector<double> both = toy.losses(class_batch({{2, 5, 3}, {2, 6, 7, 8, 3}}, {1, 2}));
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NEAR(both[0], toy.losses(class_batch({{2, 5, 3}}, {1}))[0], 1e-5);
  EXPECT_NEAR(both[1], toy.losses(class_batch({{2, 6, 7, 8, 3}}, {2}))[0], 1e-5);
}

// (p - a)² at three targets a: the value p is where a parabola has its least.
TEST(ClassificationObjective, ARegressionHasTheSquaredError) {
  ToyClassifier toy(1, {.problem = Problem::regression});
  const auto at = [&](float target) {
    return toy.losses(number_batch({{2, 5, 3}}, {target})).at(0);
  };
  const double value = (at(-1.0F) - at(1.0F)) / 4;  // ((p + 1)² - (p - 1)²) / 4
  EXPECT_NEAR(at(0.0F), value * value, 1e-5);
  EXPECT_NEAR(at(2.0F), (value - 2) * (value - 2), 1e-4);
}

TEST(ClassificationObjective, TheWeightOfABatchIsThatOfItsTexts) {
  const ClassificationObjective objective(toy_classifier(3), {});
  Batch batch = class_batch({{2, 5, 3}, {2, 6, 7, 8, 3}}, {1, 2});
  EXPECT_EQ(objective.weight(batch), 2.0);
  batch.weights = {0.5F, 2.0F};
  EXPECT_EQ(objective.weight(batch), 2.5);
  EXPECT_EQ(objective.passes(), 1);
  EXPECT_EQ(ClassificationObjective(toy_classifier(3), {.rdrop = 1.0}).passes(), 2);
}

TEST(ClassificationObjective, TheLargestBatchHasManyShortTexts) {
  const ClassificationObjective classes(toy_classifier(3), {});
  const Batch batch = classes.largest_batch(10, shared_backend("cpu"));
  EXPECT_EQ(batch.sides[kText].offsets, (std::vector<std::int64_t>{0, 4, 8, 10}));
  EXPECT_EQ(batch.sides[kLabel].ids.size(), 3U);
  const ClassificationObjective numbers(toy_classifier(1), {.problem = Problem::regression});
  EXPECT_EQ(numbers.largest_batch(10, shared_backend("cpu")).sides[kLabel].values.size(), 3U);
}

}  // namespace
}  // namespace yona::testing
