#include "yona/nn/rotary.h"

#include <cmath>

#include <gtest/gtest.h>

#include "yona/nn/attention/multi_head.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

TEST(RotaryPositions, TurnFasterInTheFirstChannels) {
  const std::vector<double> f = rotary_frequencies({.channels = 8, .base = 10000.0});
  expect_near(f, {1.0, 0.1, 0.01, 0.001}, 1e-12, "frequencies");
  const std::vector<double> table = rotary_table({.channels = 4, .max_positions = 3});
  expect_near(table,
              {1.0, 1.0, 0.0, 0.0,                                            // position 0
               std::cos(1.0), std::cos(0.01), std::sin(1.0), std::sin(0.01),  // 1
               std::cos(2.0), std::cos(0.02), std::sin(2.0), std::sin(0.02)},
              1e-12, "table");
}

// Expected: ROPE_INIT_FUNCTIONS["llama3"] of transformers 5.22.2, in f32, for heads of 16, a base
// of 500000 and a factor of 8.
TEST(RotaryPositions, AreScaledAsLlama3Does) {
  const RotaryOptions plain{.channels = 16, .base = 500000.0};
  RotaryOptions scaled = plain;
  scaled.scaling = RotaryScaling::llama3;
  scaled.factor = 8.0;
  const std::vector<double> before = rotary_frequencies(plain);
  const std::vector<double> after = rotary_frequencies(scaled);
  const std::vector<double> expected{1.0,
                                     0.193922758102417,
                                     0.03760603070259094,
                                     0.00729266507551074,
                                     0.0005248460220173001,
                                     3.428102354519069e-05,
                                     6.647869668086059e-06,
                                     1.289173155782919e-06};
  ASSERT_EQ(after.size(), expected.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_NEAR(after[i] / expected[i], 1.0, 1e-6) << i;
  }
  EXPECT_EQ(after[0], before[0]);
  EXPECT_DOUBLE_EQ(after[7], before[7] / 8.0);
}

TEST(RotaryPositions, AreScaledByAFactor) {
  const std::vector<double> f =
      rotary_frequencies({.channels = 4, .scaling = RotaryScaling::linear, .factor = 4.0});
  expect_near(f, {0.25, 0.0025}, 1e-12, "frequencies");
}

TEST(RotaryPositions, RefuseWhatCannotBe) {
  EXPECT_EQ(message_of<InvalidArgument>([] { rotary_frequencies({.channels = 3}); }),
            "rotary: 3 channels of a head are not pairs");
  EXPECT_EQ(message_of<InvalidArgument>([] { rotary_frequencies({.base = 1.0}); }),
            "rotary: a base of 1 is not above 1");
  EXPECT_EQ(message_of<InvalidArgument>([] { rotary_frequencies({.factor = 0.0}); }),
            "rotary: a factor of 0 is not above 0");
}

// Attention with rotary positions and shared keys, as Llama has it.
struct LlamaAttention : Module {
  explicit LlamaAttention(bool turned, std::int64_t d_v = 2)
      : rotary({.channels = 4, .max_positions = 32}),
        attention(8, {.heads = 4, .d_k = 4, .d_v = d_v, .kv_heads = 2},
                  {.rotary = turned ? &rotary : nullptr}, {Biases::no, Biases::no}) {
    add("rotary", rotary);
    add("attention", attention);
  }
  RotaryPositions rotary;
  MultiHeadAttention attention;
};

std::vector<double> waves(std::int64_t count, double from, double size) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(size * std::sin(0.37 * static_cast<double>(i) + from));
  }
  return values;
}

// Expected: LlamaAttention of transformers 5.22.2 in f64 with the same weights and inputs, five
// tokens, causal. Its angles are f32.
TEST(RotaryPositions, AndSharedKeysAreThoseOfLlama) {
  LlamaAttention model(true, 4);
  BoundModule bound(model);
  set_values(bound["attention.query.weight"], waves(16 * 8, 1, 0.5));
  set_values(bound["attention.key.weight"], waves(8 * 8, 2, 0.5));
  set_values(bound["attention.value.weight"], waves(8 * 8, 3, 0.5));
  set_values(bound["attention.output.weight"], waves(8 * 16, 4, 0.5));
  const Ragged x = bound.input({5}, 8);
  set_values(x.values, waves(5 * 8, 5, 1.0));
  const Ragged y = model.attention(x, Mask::causal, bound.c).formed(bound.c);
  expect_near(values_of(y.values),
              {-0.223609771075, -0.140537894430, -0.039131437344, 0.067380108932,  0.165101242969,
               0.241283260939,  0.285987453126,  0.293381708477,  0.106521419161,  0.457455681844,
               0.748710254358,  0.942288051217,  1.012934903771,  0.951434220249,  0.765809382772,
               0.480277016528,  0.143549647382,  -0.245109765335, -0.601792146323, -0.879964695070,
               -1.043337007540, -1.070595524021, -0.958184097146, -0.720767927052, 0.075395793518,
               0.384637437688,  0.643699263309,  0.818784052200,  0.887050234414,  0.839591800548,
               0.682600180158,  0.436556507562,  -0.120382324109, -0.338847778119, -0.513107134762,
               -0.620426510021, -0.646805013058, -0.588801303104, -0.453982546938, -0.259937205949},
              1e-7, "Llama");
}

// Exchanging two tokens changes what a later one sees of them.
TEST(RotaryPositions, TurnQueriesAndKeysOfSelfAttention) {
  LlamaAttention plain(false);
  LlamaAttention turned(true);
  BoundModule bound_plain(plain);
  BoundModule bound(turned);
  EXPECT_EQ(bound["attention.key.weight"].shape(), (Shape{8, 8}));
  EXPECT_EQ(bound["attention.value.weight"].shape(), (Shape{4, 8}));
  const Ragged x = bound.input({3}, 8);
  const auto last_row = [](const Ragged& y) {
    const std::vector<double> values = values_of(y.values);
    return std::vector<double>(values.end() - 8, values.end());
  };
  const auto outputs = [&](const LlamaAttention& model, const Ragged& input, Context& c) {
    return last_row(model.attention(input, Mask::causal, c).formed(c));
  };
  std::vector<double> values = values_of(x.values);
  const std::vector<double> before = outputs(turned, x, bound.c);
  const std::vector<double> plain_before = outputs(plain, x, bound_plain.c);
  std::swap_ranges(values.begin(), values.begin() + 8, values.begin() + 8);  // the first two
  set_values(x.values, values);
  expect_near(outputs(plain, x, bound_plain.c), plain_before, kExactF64, "without positions");
  const std::vector<double> after = outputs(turned, x, bound.c);
  double change = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    change += std::abs(after[i] - before[i]);
  }
  EXPECT_GT(change, 1e-3);
}

}  // namespace
}  // namespace yona::testing
