#include "yona/nn/reversible.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/models/transformer.h"
#include "yona/nn/linear.h"
#include "yona/tasks/language_model/objective.h"
#include "yona/tensor/ops/add.h"
#include "yona/tensor/ops/tanh.h"
#include "yona/tensor/sequence_cache.h"
#include "yona/train/learner.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/tolerances.h"
#include "tests/harness/toy_lm.h"

namespace yona::testing {
namespace {

constexpr std::int64_t kStreamWidth = 6;

// Dropout(tanh(x W + b)), three times.
struct ThreeBlocks : Module {
  ThreeBlocks()
      : first(kStreamWidth, kStreamWidth),
        second(kStreamWidth, kStreamWidth),
        third(kStreamWidth, kStreamWidth) {
    add("first", first);
    add("second", second);
    add("third", third);
  }
  std::vector<ReversibleBlock> blocks() const {
    std::vector<ReversibleBlock> all;
    for (const Linear* product : {&first, &second, &third}) {
      all.emplace_back([product](const Ragged& x, Context& c) {
        return Residual(x.with(tanh((*product)(x.values, c), c)));
      });
    }
    return all;
  }
  Linear first, second, third;
};

struct StackPass {
  std::vector<double> y, dx, gradients;
};

template <class Stack>
StackPass stack_pass(BoundModule& bound, const Stack& stack) {
  const Ragged x = bound.input({3, 1, 4}, kStreamWidth);
  bound.parameters.zero_gradients();
  Tape tape;
  Context c = bound.c;
  c.tape = &tape;
  const Ragged y = stack(x, c);
  set_values(gradient_target(y.values, bound.region).tensor,
             random_values(y.values.elements(), 77));
  tape.backward();
  return {values_of(y.values), values_of(x.values.gradient()),
          values_of(bound.parameters.gradients())};
}

TEST(Reversible, IsTwoStreamsThatTakeTurns) {
  const ThreeBlocks layers;
  BoundModule bound(const_cast<ThreeBlocks&>(layers));  // NOLINT: bound once, then only called
  Tape inner;
  const StackPass passed = stack_pass(
      bound, [&](const Ragged& x, Context& c) { return reversible(x, layers.blocks(), c, inner); });
  const StackPass plain = stack_pass(bound, [&](const Ragged& x, Context& c) {
    const auto blocks = layers.blocks();
    const Tensor y1 = add(x.values, blocks[0](x, c).sum(c).values, c);
    const Tensor y2 = add(x.values, blocks[1](x.with(y1), c).sum(c).values, c);
    const Tensor y3 = add(y1, blocks[2](x.with(y2), c).sum(c).values, c);
    return x.with(add(y2, y3, c));
  });
  EXPECT_EQ(passed.y, plain.y);
  expect_near(passed.dx, plain.dx, kExactF64, "the input's gradient");
  expect_near(passed.gradients, plain.gradients, kExactF64, "gradients of weights");
}

// With one, x itself would be a stream, and its gradient counted twice.
TEST(Reversible, NeedsTwoBlocks) {
  const ThreeBlocks layers;
  BoundModule bound(const_cast<ThreeBlocks&>(layers));  // NOLINT: bound once, then only called
  Tape inner;
  std::vector<ReversibleBlock> blocks = layers.blocks();
  blocks.resize(1);
  EXPECT_THAT(
      [&] {
        stack_pass(bound,
                   [&](const Ragged& x, Context& c) { return reversible(x, blocks, c, inner); });
      },
      ::testing::ThrowsMessage<InvalidArgument>(
          "reversible: two streams need two blocks or more, not 1"));
}

CausalLmConfig reversible_lm(std::int64_t layers = 2) {
  CausalLmConfig config = toy_gpt2();
  config.reversible = true;
  config.layers = layers;
  return config;
}

// The tokens of a text one by one, with a cache, as in one pass.
TEST(Reversible, DecodesWithACacheWhatAWholePassGives) {
  ToyLm lm(reversible_lm(), "reference", DType::f64);
  const std::vector<std::int32_t> text{3, 1, 4, 1, 5, 9};
  const std::vector<double> whole = lm.logits({text});
  SequenceCache cache(lm.region, 8);
  const std::int64_t first = cache.allocate(8).value();
  std::vector<double> steps;
  for (std::size_t t = 0; t < text.size(); ++t) {
    const std::vector<SequencePart> parts{
        {.first = first, .cached = static_cast<std::int64_t>(t), .fresh = 1}};
    cache.begin_step(parts);
    Context c{.region = lm.region, .cache = &cache};
    const Tokens next{ids_of({text[t]}, lm.region), cache.layout()};
    const std::vector<double> logits =
        values_of(lm.model.logits(lm.model.decode(next, {}, c).values, c));
    steps.insert(steps.end(), logits.begin(), logits.end());
  }
  expect_near(steps, whole, kExactF64, "steps");
}

struct ReversibleStep {
  std::vector<float> gradients;
  std::int64_t peak = 0;
};

ReversibleStep reversible_step(const CausalLmConfig& config, Backend& backend,
                               Precision precision) {
  LmObjective objective(config, 0.0, 12);
  Batch batch;
  batch.clear();
  RandomSequence random(7);
  for (std::uint64_t text = 0; text < 100; ++text) {
    for (Side* side : {&batch.sides[0], &batch.sides[1]}) {
      for (int i = 0; i < 12; ++i) {
        side->ids.push_back(static_cast<std::int32_t>(random.below(13)));
      }
      side->end_example();
    }
    batch.example_ids.push_back(text);
    batch.weights.push_back(1.0F);
  }
  Parameters parameters(objective.model(), backend, Gradients::yes);
  parameters.initialise(3);
  parameters.zero_gradients();
  Learner learner(objective, parameters, backend, precision);
  learner.accumulate(batch, {.seed = 5, .update = 2}, objective.weight(batch)).read();
  return {parameters.gradients().to_vector<float>(), learner.peak_bytes()};
}

TEST(Reversible, KeepsActivationsOfOneLayer) {
  CausalLmConfig config = reversible_lm(4);
  config.d_model = 32;
  config.d_ff = 128;
  Backend& backend = shared_backend("cpu");
  const std::int64_t four = reversible_step(config, backend, Precision::f32).peak;
  config.layers = 24;
  EXPECT_LT(reversible_step(config, backend, Precision::f32).peak, four + four / 10);
  config.reversible = false;
  EXPECT_GT(reversible_step(config, backend, Precision::f32).peak, 4 * four);
}

TEST(Reversible, GivesTheSameBitsForAnyNumberOfThreads) {
  CausalLmConfig config = reversible_lm(3);
  config.dropout = 0.2;
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    const auto one = make_backend("cpu", {.threads = 1});
    const auto three = make_backend("cpu", {.threads = 3});
    EXPECT_EQ(reversible_step(config, *one, precision).gradients,
              reversible_step(config, *three, precision).gradients);
  }
}

TEST(Reversible, IsRefusedWithNormsAfterTheSubLayers) {
  TransformerConfig config = preset("tiny");
  config.source_vocabulary = config.target_vocabulary = 60;
  config.reversible = true;
  EXPECT_THAT([&] { Transformer model(config); },
              ::testing::ThrowsMessage<InvalidArgument>(
                  "model.reversible: reversible layers have their norms first; set model.norm to "
                  "pre"));
}

}  // namespace
}  // namespace yona::testing
