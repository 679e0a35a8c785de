#include "yona/tensor/ops/attention.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"
#include "tests/tensor/ops/attention_case.h"

namespace yona::testing {
namespace {

// bias[clipped distance] for every i and j, as a product with one-hot columns.
Tensor biased(const AttentionVariant& variant, const Part& part, const Tensor& scores,
              const Tensor& bias, Context& c) {
  const std::int64_t width = 2 * variant.reach + 1;
  std::vector<double> picks(static_cast<std::size_t>(width * part.n * part.m), 0.0);
  for (std::int64_t i = 0; i < part.n; ++i) {
    for (std::int64_t j = 0; j < part.m; ++j) {
      const std::int64_t distance = j - (i + part.m - part.n);
      const std::int64_t column =
          std::min(std::max(distance, -variant.reach), variant.reach) + variant.reach;
      picks[static_cast<std::size_t>(column * part.n * part.m + i * part.m + j)] = 1.0;
    }
  }
  const Tensor one_hot = tensor_of(picks, {width, part.n * part.m}, bias.dtype(), c.region);
  const Tensor row = matmul(bias.row_range(part.head, 1), one_hot, Transpose::no, c);
  return add(scores, row.reshape({part.n, part.m}), c);
}

OpCase plain_attention(const AttentionVariant& variant) {
  return composed(
      fused_attention(variant), variant,
      [variant](const Part& part, const Tensor& Q, const Tensor& K, const Inputs& x, Context& c) {
        const Tensor scores = scale(matmul(Q, K, Transpose::yes, c), 0.6F, c);
        return variant.reach >= 0 ? biased(variant, part, scores, x[3], c) : scores;
      });
}

TEST(Attention, PassesEveryUseOfItsCases) {
  for (const AttentionVariant& variant : attention_variants()) {
    check_op(fused_attention(variant));
  }
}

TEST(Attention, EqualsMatmulSoftmaxMatmulOfEverySentenceAndHead) {
  for (const AttentionVariant& variant : attention_variants()) {
    expect_same(fused_attention(variant), plain_attention(variant));
  }
}

TEST(Attention, EqualsItsCompositionOverManyTiles) {
  for (const AttentionVariant& variant : long_attention_variants()) {
    expect_same(fused_attention(variant), plain_attention(variant));
    expect_backends_agree(fused_attention(variant));
  }
}

TEST(Attention, SeesWhatItsPatternSays) {
  for (const AttentionVariant& variant : pattern_variants()) {
    check_op(fused_attention(variant));
    expect_same(fused_attention(variant), plain_attention(variant));
  }
}

TEST(Attention, SeesWhatItsPatternSaysOverManyTiles) {
  for (const AttentionVariant& variant : long_pattern_variants()) {
    expect_same(fused_attention(variant), plain_attention(variant));
    expect_backends_agree(fused_attention(variant));
  }
}

TEST(Attention, RefusesPatternsThatItDoesNotHave) {
  const auto refusal = [](AttentionVariant variant) {
    return message_of<InvalidArgument>([&] { run_op(fused_attention(variant)); });
  };
  const Lengths few{3};
  EXPECT_THAT(refusal({"", few, few, 1, 2, 2, Mask::none, {}, 2, 0.0, window_of(2, 0, 2)}),
              ::testing::HasSubstr("a dilated window takes neither a bias nor the prefix mask"));
}

// ---- Q, K and V as parts of larger tensors -----------------------------------------------------

OpCase on_slices(const std::string& name, const std::vector<OpInput>& inputs,
                 const std::function<Inputs(const Inputs&)>& slices) {
  return {name, inputs, [slices](const Inputs& x, Context& c) {
            const Inputs qkv = slices(x);
            const auto layout = layout_of({3, 2}, c.region);
            return Inputs{attention(qkv[0], qkv[1], qkv[2], layout, layout,
                                    {.heads = 2,
                                     .d_k = 3,
                                     .d_v = 3,
                                     .scale = 0.5F,
                                     .mask = Mask::causal,
                                     .prefix = {},
                                     .bias = {},
                                     .dropout = {}},
                                    c)};
          }};
}

TEST(Attention, TakesSlicesOfOneProduct) {
  check_op(on_slices("three parts", {{{5, 18}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(0, 6), x[0].columns(6, 6), x[0].columns(12, 6)};
  }));
  check_op(on_slices("three parts in another order", {{{5, 18}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(12, 6), x[0].columns(0, 6), x[0].columns(6, 6)};
  }));
  check_op(on_slices("keys and values of one product", {{{5, 6}}, {{5, 12}}}, [](const Inputs& x) {
    return Inputs{x[0], x[1].columns(0, 6), x[1].columns(6, 6)};
  }));
  check_op(on_slices("parts that leave some out", {{{5, 23}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(1, 6), x[0].columns(9, 6), x[0].columns(15, 6)};
  }));
}

TEST(Attention, AddsUpGradientsOfPartsThatAreTheSame) {
  check_op(on_slices("one tensor three times", {{{5, 6}}}, [](const Inputs& x) {
    return Inputs{x[0], x[0], x[0]};
  }));
  check_op(on_slices("keys as values", {{{5, 6}}, {{5, 6}}}, [](const Inputs& x) {
    return Inputs{x[0], x[1], x[1]};
  }));
  check_op(on_slices("queries as values, a part unused", {{{5, 18}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(0, 6), x[0].columns(6, 6), x[0].columns(0, 6)};
  }));
  check_op(on_slices("queries that are the keys", {{{5, 12}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(0, 6), x[0].columns(0, 6), x[0].columns(6, 6)};
  }));
  check_op(on_slices("overlapping parts", {{{5, 18}}}, [](const Inputs& x) {
    return Inputs{x[0].columns(0, 6), x[0].columns(3, 6), x[0].columns(7, 6)};
  }));
}

// ---- edges -------------------------------------------------------------------------------------

TEST(Attention, GivesZeroWhereNothingIsSeen) {
  for (const OpRun& run : {OpRun{}, OpRun{.backend = "cpu", .dtype = DType::f32}}) {
    const OpResult result = run_op(fused_attention(attention_variants()[5]), run);
    const std::vector<double>& first = result.outputs[0];  // four queries, two keys
    expect_near({first.begin(), first.begin() + 4}, {0, 0, 0, 0}, 0.0, "outputs");
    expect_near({result.gradients[0].begin(), result.gradients[0].begin() + 4}, {0, 0, 0, 0}, 0.0,
                "gradients");
  }
}

TEST(Attention, IsFiniteForLargeScores) {
  const OpCase large{
      "large", {{{2, 1}}, {{2, 1}}, {{2, 1}}}, [](const Inputs& x, Context& c) {
        set_values(x[0], {1000, -1000});
        set_values(x[1], {1000, -1000});
        set_values(x[2], {3, 5});
        const auto layout = layout_of({2}, c.region);
        return Inputs{attention(
            x[0], x[1], x[2], layout, layout,
            {.heads = 1, .d_k = 1, .d_v = 1, .prefix = {}, .bias = {}, .dropout = {}}, c)};
      }};
  for (const OpRun& run : {OpRun{}, OpRun{.backend = "cpu", .dtype = DType::f32}}) {
    const OpResult result = run_op(large, run);
    expect_near(result.outputs[0], {3, 5}, 1e-6, "out");
    expect_near(result.gradients[0], {0, 0}, 1e-6, "dq");
  }
}

class AttentionErrors : public ::testing::Test {
 protected:
  std::string message(std::int64_t q_rows, std::int64_t k_rows, std::int64_t columns,
                      const AttentionOptions& with, const Lengths& queries = {3},
                      const Lengths& keys = {3}) {
    return message_of<InvalidArgument>([&] {
      attention(c.zeros(DType::f32, {q_rows, columns}), c.zeros(DType::f32, {k_rows, columns}),
                c.zeros(DType::f32, {k_rows, columns}), layout_of(queries, region),
                layout_of(keys, region), with, c);
    });
  }

  Region region{shared_backend("reference"), 1 << 20};
  Tape tape;
  Context c{.region = region, .tape = &tape};
  AttentionOptions options{.heads = 2, .d_k = 2, .d_v = 2, .prefix = {}, .bias = {}, .dropout = {}};
};

TEST_F(AttentionErrors, NameShapesThatDoNotFit) {
  EXPECT_EQ(message(3, 3, 4, options), "");
  EXPECT_EQ(message(3, 3, 4, options, {3}, {2, 1}), "attention: queries of 1 sentences, keys of 2");
  EXPECT_EQ(message(2, 3, 4, options),
            "attention: q [2, 4], k [3, 4] and v [3, 4] do not fit 3 query and 3 key tokens");
  EXPECT_EQ(message(3, 4, 4, options),
            "attention: q [3, 4], k [4, 4] and v [4, 4] do not fit 3 query and 3 key tokens");
  EXPECT_EQ(message(3, 3, 5, options),
            "attention: q [3, 5], k [3, 5] and v [3, 5] do not fit 2 heads of d_k 2 and d_v 2");
}

TEST_F(AttentionErrors, NameBiasesAndPrefixesThatDoNotFit) {
  options.bias = c.zeros(DType::f32, {2, 4});
  EXPECT_EQ(message(3, 3, 4, options), "attention: a bias of shape [2, 4] is not [2, 2R+1]");
  options.bias = c.zeros(DType::f32, {3, 5});
  EXPECT_EQ(message(3, 3, 4, options), "attention: a bias of shape [3, 5] is not [2, 2R+1]");
  options.bias = {};
  options.mask = Mask::prefix;
  EXPECT_EQ(message(3, 3, 4, options),
            "attention: the prefix mask needs one length for each of 1 sentences");
  options.prefix = c.empty(DType::i64, {2});
  EXPECT_EQ(message(3, 3, 4, options),
            "attention: the prefix mask needs one length for each of 1 sentences");
}

TEST_F(AttentionErrors, AskForAllGradientsOrNone) {
  const Tensor x = c.zeros(DType::f32, {3, 4});
  const Tensor y = c.zeros(DType::f32, {3, 4});
  const Tensor vector = c.zeros(DType::f32, {2, 2});
  x.set_requires_gradient();
  const auto layout = layout_of({3}, region);
  EXPECT_EQ(message_of<InvalidArgument>([&] { attention(x, x, y, layout, layout, options, c); }),
            "attention: q, k and v must all take gradients, or none");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { additive_attention(x, x, x, vector, layout, layout, options, c); }),
            "additive_attention: q, k, v and the vector must all take gradients, or none");
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { additive_attention(x, x, x, x, layout, layout, options, c); }),
            "additive_attention: a vector of shape [3, 4] is not [2, 2]");
}

}  // namespace
}  // namespace yona::testing
