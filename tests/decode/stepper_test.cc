// Ensembles: a step's mean of predictions, against the same mean by hand.

#include "yona/decode/stepper.h"

#include <cmath>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "yona/decode/batch_decoder.h"
#include "yona/decode/generation_config.h"
#include "yona/io/translation_model.h"
#include "yona/tensor/ops/softmax.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/toy_model.h"

namespace yona::testing {
namespace {

std::vector<float> step_values(const std::vector<const SequenceModel*>& models, EnsembleMean mean,
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

// Logits of other models are not states · weightᵀ: bart, marian, mbart and pegasus have a bias, t5
// a scale, m2m100 an odd number of outputs and no <pad> outside of them.
TEST(Stepper, KnowsWhichFamiliesHaveAPlainProjection) {
  const std::set<std::string> plain{"mt5-untied", "nllb", "nllb-transformers-5", "nllb-untied",
                                    "t5-gated"};
  std::set<std::string> found;
  std::size_t families = 0;
  Backend& backend = shared_backend("cpu");
  for (const auto& entry : std::filesystem::directory_iterator(YONA_FIXTURES "/families")) {
    if (!entry.is_directory()) {
      continue;
    }
    ++families;
    const auto model = TranslationModel::load(entry.path(), backend, Packing::no);
    DecodeOptions options = folder_options(entry.path(), model->info());
    options.precision = Precision::bf16;
    const BatchDecoder decoder({&model->model()}, backend, options);
    const bool is_plain = has_plain_projection(model->model());
    EXPECT_EQ(decoder.options().precision, is_plain ? Precision::bf16 : Precision::f32)
        << entry.path();
    if (is_plain) {
      found.insert(entry.path().filename());
    }
  }
  EXPECT_EQ(found, plain);
  EXPECT_GT(families, 2 * plain.size());
}

// On a GPU in one kernel, elsewhere one after the other.
TEST(Stepper, FindsTheBestOfTheNextLogits) {
  constexpr std::int64_t kRows = 6;
  for (const std::string_view backend : {"reference", "cpu", "cuda"}) {
    if (backend == "cuda" && !has_cuda()) {
      continue;
    }
    SCOPED_TRACE(backend);
    ToyModel toy(toy_config(), backend);
    Context c{.region = toy.region};
    const std::int64_t d_model = toy.model.projection().cols();
    const Tensor states =
        tensor_of(random_values(kRows * d_model, 3), Shape{kRows, d_model}, DType::f32, toy.region);
    TopKOptions options;
    options.k = 4;
    options.row_scores =
        tensor_of({0, -0.3, -1, 0, -0.1, -2}, Shape{kRows}, DType::f32, toy.region);
    options.groups = Tensor(toy.region, DType::i64, Shape{3});
    options.groups.upload(std::vector<std::int64_t>{0, 3, kRows});
    const TopK expected = top_k(next_logits(states, toy.model, c), options, c);
    const TopK found = next_best(states, toy.model, options, c);
    EXPECT_EQ(found.tokens.to_vector<std::int32_t>(), expected.tokens.to_vector<std::int32_t>());
    EXPECT_EQ(found.rows.to_vector<std::int32_t>(), expected.rows.to_vector<std::int32_t>());
    expect_near(values_of(found.scores), values_of(expected.scores), 1e-6, "scores");
    EXPECT_EQ(projects_to_best(toy.model, c), backend == "cuda");
  }
}

}  // namespace
}  // namespace yona::testing
