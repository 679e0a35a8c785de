#include "yona/models/causal_lm.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "yona/tensor/attention_cache.h"
#include "yona/tensor/ops/cross_entropy.h"

#include "tests/harness/compare.h"
#include "tests/harness/model_gradient.h"
#include "tests/harness/tolerances.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

CausalLmConfig toy_qwen3() {
  CausalLmConfig config = toy_llama();
  config.qk_norm = true;
  config.tied = true;
  return config;
}

CausalLmConfig toy_mistral() {
  CausalLmConfig config = toy_llama();
  config.attention_sizes.window = 3;
  return config;
}

CausalLmConfig toy_performer() {
  CausalLmConfig config = toy_llama();
  config.attention = AttentionKind::performer;
  config.attention_sizes.features = 12;
  return config;
}

struct Named {
  const char* name;
  CausalLmConfig config;
};
std::vector<Named> all_kinds() {
  return {{"gpt2", toy_gpt2()},
          {"llama", toy_llama()},
          {"qwen3", toy_qwen3()},
          {"mistral", toy_mistral()},
          {"performer", toy_performer()}};
}

std::int64_t parameter_count(CausalLmConfig config, std::int64_t vocabulary) {
  config.vocabulary = vocabulary;
  CausalLm model(config);
  std::int64_t count = 0;
  model.visit([&](const std::string& /*name*/, Parameter& parameter) {
    count += parameter.shape.elements();
  });
  return count;
}

// As transformers counts GPT2LMHeadModel of these configurations.
TEST(CausalLm, HasGpt2sNumberOfParameters) {
  EXPECT_EQ(parameter_count(causal_lm_preset("gpt2-small"), 50257), 124'439'808);
  EXPECT_EQ(parameter_count(causal_lm_preset("gpt2-medium"), 50257), 354'823'168);
  EXPECT_EQ(parameter_count(causal_lm_preset("gpt2-large"), 50257), 774'030'080);
  EXPECT_EQ(parameter_count(causal_lm_preset("gpt2-xl"), 50257), 1'557'611'200);
}

TEST(CausalLm, BeginsAsGpt2Does) {
  CausalLmConfig config = toy_llama();
  config.d_model = 64;
  config.d_ff = 256;
  CausalLm model(config);
  Parameters parameters(model, shared_backend("reference"), Gradients::no);
  parameters.initialise(3);
  const auto deviation = [&](const char* name) {
    const std::vector<double> values = values_of(parameters.find(name)->value);
    return norm_of(values) / std::sqrt(static_cast<double>(values.size()));
  };
  EXPECT_NEAR(deviation("embedding.weight"), 0.02, 0.002);
  EXPECT_NEAR(deviation("layers.0.feed_forward.inner.weight"), 0.02, 0.001);
  EXPECT_NEAR(deviation("layers.1.feed_forward.outer.weight"), 0.01, 0.0005);
  EXPECT_NEAR(deviation("layers.1.self_attention.output.weight"), 0.01, 0.0015);
  EXPECT_EQ(deviation("norm.weight"), 1.0);
}

TEST(CausalLm, PredictsFromWhatIsBefore) {
  for (const Named& kind : all_kinds()) {
    ToyLm toy(kind.config);
    const std::vector<double> one = toy.logits({{3, 1, 4, 1, 5}, {9, 2, 6}});
    const std::vector<double> other = toy.logits({{3, 1, 4, 1, 7}, {9, 2, 6}});
    for (std::size_t i = 0; i < one.size(); ++i) {
      const std::size_t token = i / 13;
      if (token != 4) {
        EXPECT_EQ(one[i], other[i]) << kind.name << " token " << token;
      }
    }
    EXPECT_NE(std::vector<double>(one.begin() + 4 * 13, one.begin() + 5 * 13),
              std::vector<double>(other.begin() + 4 * 13, other.begin() + 5 * 13));
  }
}

TEST(CausalLm, SeesNothingBeforeItsWindow) {
  CausalLmConfig config = toy_mistral();
  config.layers = 1;  // with more layers a state knows of tokens further back
  ToyLm toy(config);
  const std::vector<double> one = toy.logits({{3, 1, 4, 1, 5}});
  const std::vector<double> other = toy.logits({{8, 1, 4, 1, 5}});
  for (const std::size_t token : {3, 4}) {
    EXPECT_TRUE(std::equal(one.begin() + token * 13, one.begin() + (token + 1) * 13,
                           other.begin() + token * 13))
        << token;
  }
  EXPECT_NE(std::vector<double>(one.begin() + 2 * 13, one.begin() + 3 * 13),
            std::vector<double>(other.begin() + 2 * 13, other.begin() + 3 * 13));
}

TEST(CausalLm, GivesTheSameLogitsTokenByToken) {
  const std::vector<std::int32_t> text{3, 1, 4, 1, 5, 9, 2};
  for (const Named& kind : all_kinds()) {
    for (const char* backend : {"reference", "cpu"}) {
      ToyLm toy(kind.config, backend);
      const std::vector<double> whole = toy.logits({text});
      AttentionCache cache(toy.region, {.rows = 1, .steps = 7});
      Context c{.region = toy.region, .cache = &cache};
      std::vector<double> steps;
      for (std::size_t i = 0; i < text.size(); ++i) {
        cache.begin_step(std::vector<std::int32_t>{0}, std::vector<std::int32_t>{0});
        const Tokens newest{ids_of({text[i]}, toy.region),
                            make_step_layout(1, static_cast<std::int64_t>(i), toy.region)};
        const std::vector<double> logits =
            values_of(toy.model.logits(toy.model.decode(newest, {}, c).values, c));
        steps.insert(steps.end(), logits.begin(), logits.end());
      }
      expect_near(steps, whole, 1e-5, std::string(kind.name) + " on " + backend);
    }
  }
}

// The sum of the losses of the next tokens, in double, against finite differences.
double loss_of(ToyLm& toy, Tape* tape) {
  Context c{.region = toy.region, .tape = tape, .training = true};
  const Ragged states = toy.model.decode(toy.tokens({{3, 1, 4, 1, 5}, {9, 2}}), {}, c);
  const std::vector<double> scale(7, 0.25);
  const CrossEntropyOptions options{.row_scale = tensor_of(scale, {7}, DType::f32, toy.region)};
  const Tensor targets = ids_of({1, 4, 1, 5, 2, 2, 0}, toy.region);
  const Tensor losses =
      linear_cross_entropy(states.values, toy.model.projection(), targets, options, c);
  if (tape != nullptr) {
    tape->backward();
  }
  const std::vector<double> values = values_of(losses);
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    sum += 0.25 * values[i];
  }
  return sum;
}

TEST(CausalLm, HasTheGradientOfFiniteDifferences) {
  for (Named kind : all_kinds()) {
    kind.config.dropout = 0.2;
    kind.config.attention_dropout = kind.config.attention == AttentionKind::performer ? 0.0 : 0.1;
    ToyLm toy(kind.config, "reference", DType::f64);
    expect_gradient_of(
        toy.parameters, [&](Tape* tape) { return loss_of(toy, tape); },
        {.step = 1e-6, .tolerance = 1e-5, .directions = 1, .name = std::string(kind.name)});
  }
}

}  // namespace
}  // namespace yona::testing
