// Ensembles: a step's mean of predictions, against the same mean by hand.

#include "yona/decode/stepper.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/tensor/ops/softmax.h"

#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

std::vector<float> step_values(const std::vector<const Transformer*>& models, EnsembleMean mean,
                               Region& region, bool* normalised = nullptr) {
  const std::vector<std::vector<std::int32_t>> sources{{3, 5, 0}, {2, 0}};
  DecodeOptions options;
  options.ensemble = mean;
  Stepper stepper(models, options, {.sources = sources, .size = {.rows = 2, .steps = 2}}, region);
  stepper.step({.ids = {-1, -1}, .parents = {0, 1}, .sentences = {0, 1}});
  const StepLogits logits = stepper.step({.ids = {4, 6}, .parents = {1, 0}, .sentences = {1, 0}});
  if (normalised != nullptr) {
    *normalised = logits.normalised;
  }
  Context c{.region = region};
  return (logits.normalised ? logits.values : log_softmax(logits.values, c)).to_vector<float>();
}

TEST(Stepper, TakesTheMeanThatIsAskedFor) {
  ToyModel first(toy_config(), "cpu");
  ToyModel second(toy_config(), "cpu");
  second.parameters.initialise(9);
  Region& region = first.region;
  const std::vector<float> a = step_values({&first.model}, EnsembleMean::probabilities, region);
  const std::vector<float> b = step_values({&second.model}, EnsembleMean::probabilities, region);
  bool normalised = false;
  const std::vector<float> logs = step_values({&first.model, &second.model, &second.model},
                                              EnsembleMean::log_probabilities, region, &normalised);
  EXPECT_TRUE(normalised);
  const std::vector<float> plain = step_values({&first.model, &second.model, &second.model},
                                               EnsembleMean::probabilities, region);
  ASSERT_EQ(a.size(), 20U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(logs[i], (a[i] + 2 * b[i]) / 3, 1e-5);
    EXPECT_NEAR(std::exp(plain[i]), (std::exp(a[i]) + 2 * std::exp(b[i])) / 3, 1e-6);
  }
}

}  // namespace
}  // namespace yona::testing
