// Memory networks: gradients, and the paper's equations in plain loops. Against PyTorch they are
// compared with a fixture of tools/fixtures/memory_network.py.
#include "yona/models/memory_network.h"

#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/tensor/ops/cross_entropy.h"
#include "yona/tensor/ops/linear.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/model_gradient.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

struct StoryArrays {
  std::vector<std::int32_t> words{1, 2, 3, 4, 0, 2, 5, 5, 1};
  std::vector<std::int32_t> lengths{3, 2, 1, 3};
  std::vector<std::int64_t> stories{0, 3, 4};
  std::vector<std::int32_t> questions{6, 1, 0};
  std::vector<std::int64_t> question_offsets{0, 2, 3};

  Stories view() const { return {words, lengths, stories, questions, question_offsets}; }
};

MemoryNetworkConfig toy_network(MemoryTying tying = MemoryTying::adjacent) {
  MemoryNetworkConfig config;
  config.vocabulary = 7;
  config.d_model = 4;
  config.hops = 2;
  config.memory = 5;
  config.tying = tying;
  return config;
}

double story_loss(const MemoryNetwork& model, Region& region, Tape* tape) {
  Context c{.region = region, .tape = tape, .training = true};
  const Tensor states = model.states(model.input(StoryArrays().view(), region), c);
  const CrossEntropyOptions options{.smoothing = 0.0F,
                                    .row_scale = tensor_of({0.5, 0.5}, {2}, DType::f32, region)};
  const Tensor losses =
      linear_cross_entropy(states, model.output_layer().weight, ids_of({3, 0}, region), options, c);
  if (tape != nullptr) {
    tape->backward();
  }
  const std::vector<double> values = values_of(losses);
  return 0.5 * (values[0] + values[2]);
}

void expect_story_gradient(const MemoryNetworkConfig& config) {
  MemoryNetwork model(config);
  BoundModule bound(model);
  expect_gradient_of(bound.parameters,
                     [&](Tape* tape) { return story_loss(model, bound.region, tape); });
}

TEST(MemoryNetwork, GradientsAreThoseOfFiniteDifferences) {
  expect_story_gradient(toy_network());
  expect_story_gradient(toy_network(MemoryTying::layer_wise));
  MemoryNetworkConfig plain = toy_network();
  plain.position_encoding = plain.temporal_encoding = false;
  expect_story_gradient(plain);
}

// Weights and logits that PyTorch computed, for both kinds of tying.
TEST(MemoryNetwork, LogitsAreThoseOfPyTorch) {
  const Json cases =
      read_json(std::filesystem::path(YONA_FIXTURES) / "memory_network" / "logits.json");
  ASSERT_EQ(cases.size(), 3U);
  for (const Json& item : cases) {
    MemoryNetworkConfig config = toy_network(
        item.at("tying") == "adjacent" ? MemoryTying::adjacent : MemoryTying::layer_wise);
    config.position_encoding = item.at("position_encoding").get<bool>();
    config.temporal_encoding = item.at("temporal_encoding").get<bool>();
    MemoryNetwork model(config);
    BoundModule bound(model);
    for (const Parameters::Entry& entry : bound.parameters.entries()) {
      set_values(entry.value, item.at("weights").at(entry.name).get<std::vector<double>>());
    }
    ASSERT_EQ(item.at("weights").size(), bound.parameters.entries().size());
    const Tensor states = model.states(model.input(StoryArrays().view(), bound.region), bound.c);
    const std::vector<double> logits =
        values_of(linear(states, model.output_layer().weight, {}, {}, bound.c));
    const auto expected = item.at("logits").get<std::vector<double>>();
    ASSERT_EQ(logits.size(), expected.size());
    for (std::size_t i = 0; i < logits.size(); ++i) {
      EXPECT_NEAR(logits[i], expected[i], 1e-9) << i;
    }
  }
}

TEST(MemoryNetwork, AttentionSumsToOneOverEachStory) {
  MemoryNetwork model(toy_network());
  BoundModule bound(model);
  const std::vector<Tensor> hops =
      model.attention(model.input(StoryArrays().view(), bound.region), bound.c);
  ASSERT_EQ(hops.size(), 2U);
  for (const Tensor& weights : hops) {
    const std::vector<double> values = values_of(weights);
    ASSERT_EQ(values.size(), 4U);
    EXPECT_NEAR(values[0] + values[1] + values[2], 1.0, 1e-12);
    EXPECT_NEAR(values[3], 1.0, 1e-12);
  }
}

TEST(MemoryNetwork, WordWeightsAreThePapers) {
  // J = 2, d = 4: l_kj = (1 - j/2) - (k/4)(1 - j)
  EXPECT_DOUBLE_EQ(word_weight(1, 2, 1, 4), 2 * 0.5);
  EXPECT_DOUBLE_EQ(word_weight(2, 2, 1, 4), 2 * 0.25);
  EXPECT_DOUBLE_EQ(word_weight(2, 2, 4, 4), 2 * 1.0);
}

TEST(MemoryNetwork, StoriesThatDoNotFitAreRefused) {
  MemoryNetworkConfig small = toy_network();
  small.memory = 2;
  MemoryNetwork model(small);
  BoundModule bound(model);
  EXPECT_THAT(message_of<InvalidArgument>([&] { model.input(StoryArrays().view(), bound.region); }),
              HasSubstr("a story has 3 sentences; the memory takes 1 to 2 (model.memory)"));
  StoryArrays none;
  none.stories = {0, 0, 4};
  MemoryNetwork larger(toy_network());
  BoundModule of_larger(larger);
  EXPECT_THAT(message_of<InvalidArgument>([&] { larger.input(none.view(), of_larger.region); }),
              HasSubstr("a story has 0 sentences"));
  StoryArrays silent;
  silent.question_offsets = {0, 0, 3};
  EXPECT_THAT(message_of<InvalidArgument>([&] { larger.input(silent.view(), of_larger.region); }),
              HasSubstr("a question has no words"));
}

}  // namespace
}  // namespace yona::testing
