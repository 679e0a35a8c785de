// A language model trains on one text of 65,536 tokens on a CPU: attention is exact and its memory
// grows with the tokens alone, and with train.recompute so do the activations of one layer; and it
// learns what can only be known from 32,768 tokens before.

#include <bit>
#include <cmath>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "yona/base/random.h"
#include "yona/tasks/language_model/objective.h"
#include "yona/train/learner.h"
#include "yona/train/memory_plan.h"
#include "yona/train/optimiser.h"

#include "tests/harness/op_case.h"

namespace yona::testing {
namespace {

constexpr std::int64_t kContext = 65536;

CausalLmConfig long_config(std::int64_t layers) {
  CausalLmConfig config;
  config.vocabulary = 64;
  config.layers = layers;
  config.d_model = 16;
  config.d_ff = 32;
  config.heads = 1;
  config.dropout = config.attention_dropout = 0.0;
  config.max_positions = kContext;
  config.positions = LmPositions::rotary;
  config.norm = NormKind::rms;
  return config;
}

Batch long_text(std::int64_t tokens) {
  Batch batch;
  batch.clear();
  RandomSequence random(3);
  for (std::int64_t i = 0; i < tokens; ++i) {
    batch.sides[0].ids.push_back(static_cast<std::int32_t>(random.below(64)));
    batch.sides[1].ids.push_back(batch.sides[0].ids.back());  // to be learned: the token itself
  }
  batch.sides[0].end_example();
  batch.sides[1].end_example();
  batch.example_ids.push_back(0);
  batch.weights.push_back(1.0F);
  return batch;
}

// All of a step's memory, in tensors of [tokens, d_model], with eight layers.
double tensors_of_step(std::int64_t tokens, bool recompute) {
  const CausalLmConfig config = long_config(8);
  const PlannedRun run{
      .make_objective = [config,
                         tokens] { return std::make_unique<LmObjective>(config, 0.0, tokens); },
      .precision = Precision::f32,
      .average = false,
      .recompute = recompute,
      .device = Device::cpu};
  const double tensor = static_cast<double>(tokens * config.d_model) * sizeof(float);
  return static_cast<double>(plan_memory(run, tokens).step) / tensor;
}

TEST(LongContext, MemoryGrowsWithTheTokensAlone) {
  EXPECT_NEAR(tensors_of_step(kContext, true), tensors_of_step(kContext / 8, true), 1.0);
  EXPECT_LT(tensors_of_step(kContext, true), 30.0);
  EXPECT_GT(tensors_of_step(kContext, false), 80.0);
}

TEST(LongContext, AStepFitsTheMemoryThatIsStated) {
  LmObjective objective(long_config(2), 0.0, kContext);
  objective.model().set_recompute(true);
  Backend& backend = shared_backend("cpu");
  Parameters parameters(objective.model(), backend, Gradients::yes);
  parameters.initialise(1);
  parameters.zero_gradients();
  Learner learner(objective, parameters, backend);
  const Batch batch = long_text(kContext);
  const double loss = learner.accumulate(batch, {}, objective.weight(batch)).read().loss;
  constexpr std::int64_t kTensor = kContext * 16 * static_cast<std::int64_t>(sizeof(float));
  EXPECT_LT(learner.peak_bytes(), 26 * kTensor);  // 109 MB; the scores alone would be 17 GB
  EXPECT_LT(loss, std::log(64.0) * kContext);     // tied weights know the token that they read
  const std::vector<float> gradients = parameters.gradients().to_vector<float>();
  const double norm =
      std::inner_product(gradients.begin(), gradients.end(), gradients.begin(), 0.0);
  EXPECT_TRUE(std::isfinite(norm) && norm > 0) << norm;
}

// --- what a step learns ----------------------------------------------------------------------
//
// A passage of random tokens, and the same passage again (or another one). Within a passage no
// token tells the next one, so only a model that looks back by the length of the passage can do
// better than log 64.
//
// Attention that looks back is given: each position has a code of 16 signs in the channels that the
// model leaves to positions, that of a token in the second passage is the code of the one that
// comes next in the first, and queries and keys are these codes. What the head finds is not used at
// first (W^O is zero): that is to be learned.

constexpr std::int64_t kPassage = kContext / 2;
constexpr std::int64_t kHalf = 16;  // of d_model: channels of tokens, and of positions

using Values = std::vector<float>;

CausalLmConfig copying_config() {
  CausalLmConfig config = long_config(1);
  config.d_model = 2 * kHalf;
  config.head_size = kHalf;
  config.positions = LmPositions::learned;
  config.qkv_biases = config.output_biases = config.ff_biases = false;
  config.tied = false;
  return config;
}

// 15 bits, and a sixteenth that makes the number of ones even, as signs: two codes differ in two
// places at least.
float sign_of_code(std::int64_t code, std::int64_t channel) {
  const auto ones = static_cast<std::int64_t>(std::popcount(static_cast<std::uint64_t>(code)));
  const std::int64_t bit = channel < kHalf - 1 ? (code >> channel) & 1 : ones & 1;
  return bit == 1 ? 1.0F : -1.0F;
}

// [rows, columns] with a value for each row and column.
Values matrix(std::int64_t rows, std::int64_t columns,
              const std::function<float(std::int64_t, std::int64_t)>& value) {
  Values values;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      values.push_back(value(row, column));
    }
  }
  return values;
}

void let_look_back(const Parameters& parameters) {
  const auto set = [&](const std::string& name, const Values& values) {
    parameters.find(name)->value.upload(values);
  };
  RandomSequence random(5);
  const Values signs =
      matrix(64, kHalf, [&](auto, auto) { return random.below(2) ? 1.0F : -1.0F; });
  const auto of_token = [&](float scale) {
    return matrix(64, 2 * kHalf, [&](std::int64_t token, std::int64_t channel) {
      return channel < kHalf ? scale * signs[static_cast<std::size_t>(token * kHalf + channel)]
                             : 0.0F;
    });
  };
  set("embedding.weight", of_token(1.0F));
  set("projection.weight", of_token(0.1F));
  set("positions.weight", matrix(kContext, 2 * kHalf, [](std::int64_t at, std::int64_t channel) {
        const std::int64_t code = at < kPassage ? at : (at + 1) % kPassage;
        return channel < kHalf ? 0.0F : sign_of_code(code, channel - kHalf);
      }));
  // q·k/√16 is 32 for equal codes, 24 for those that differ in two places, 0 in the mean.
  const float root = std::sqrt(8.0F);
  const Values codes = matrix(kHalf, 2 * kHalf, [&](std::int64_t row, std::int64_t column) {
    return column == kHalf + row ? root : 0.0F;
  });
  set("layers.0.self_attention.query.weight", codes);
  set("layers.0.self_attention.key.weight", codes);
  set("layers.0.self_attention.value.weight",
      matrix(kHalf, 2 * kHalf,
             [](std::int64_t row, std::int64_t column) { return column == row ? 1.0F : 0.0F; }));
  set("layers.0.self_attention.output.weight", Values(2 * kHalf * kHalf, 0.0F));
}

enum class Second : std::uint8_t { copy, other };

// The first `tokens` of a passage and a second one, and for each the token that follows.
Batch passages(Second second, std::int64_t tokens) {
  std::vector<std::int32_t> text;
  RandomSequence random(7);
  for (std::int64_t i = 0; i <= kContext; ++i) {
    const bool copied = i >= kPassage && second == Second::copy;
    text.push_back(copied ? text[static_cast<std::size_t>(i % kPassage)]
                          : static_cast<std::int32_t>(random.below(64)));
  }
  Batch batch;
  batch.clear();
  batch.sides[0].ids.assign(text.begin(), text.begin() + tokens);
  batch.sides[1].ids.assign(text.begin() + 1, text.begin() + tokens + 1);
  batch.sides[0].end_example();
  batch.sides[1].end_example();
  batch.example_ids.push_back(0);
  batch.weights.push_back(1.0F);
  return batch;
}

class Copying {
 public:
  Copying() : parameters_(objective_.model(), backend_, Gradients::yes) {
    parameters_.initialise(1);
    let_look_back(parameters_);
    train_.freeze = {"positions.*"};  // or each place learns its own token by heart
  }

  Values gradients(bool recompute) {
    objective_.model().set_recompute(recompute);
    parameters_.zero_gradients();
    const Batch batch = passages(Second::copy, kContext);
    learner_.accumulate(batch, {}, objective_.weight(batch)).read();
    return parameters_.gradients().to_vector<float>();
  }

  void train(std::int64_t updates) {
    Optimiser optimiser(parameters_, backend_, train_);
    for (std::int64_t update = 1; update <= updates; ++update) {
      gradients(true);
      optimiser.step(update, 0.1);
    }
  }

  // The mean losses of the two passages. No token sees those after it: the first passage alone has
  // the losses that it has in the whole text.
  struct Losses {
    double first, second;
  };
  Losses losses(Second kind) {
    const double whole = learner_.evaluate(passages(kind, kContext)).loss;
    const double first = learner_.evaluate(passages(kind, kPassage)).loss;
    return {first / kPassage, (whole - first) / kPassage};
  }

 private:
  Backend& backend_ = shared_backend("cpu");
  LmObjective objective_{copying_config(), 0.0, kContext};
  Parameters parameters_;
  TrainConfig train_;
  Learner learner_{objective_, parameters_, backend_};
};

TEST(LongContext, LearnsWhatOnlyTokensFarBackTell) {
  Copying model;
  const Copying::Losses before = model.losses(Second::copy);
  EXPECT_NEAR(before.first, before.second, 0.05);  // nothing is copied yet
  model.train(3);
  const Copying::Losses after = model.losses(Second::copy);
  EXPECT_GT(after.first, std::log(64.0) - 0.1);
  EXPECT_LT(after.second, std::log(64.0) - 0.5);
  const Copying::Losses control = model.losses(Second::other);
  EXPECT_GT(control.second, std::log(64.0) - 0.1);
}

TEST(LongContext, RecomputingGivesTheSameGradients) {
  Copying model;
  EXPECT_EQ(model.gradients(true), model.gradients(false));
}

}  // namespace
}  // namespace yona::testing
