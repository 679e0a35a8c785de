// Attention by random features, against the dense computation of the same weights, as the paper
// writes them.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tensor/ops/attention.h"

#include "tests/harness/compare.h"
#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

using Lengths = std::vector<std::int64_t>;
using Values = std::vector<double>;

struct PerformerVariant {
  std::string name;
  Lengths queries, keys;
  Mask mask = Mask::none;
  std::int64_t heads = 2, kv_heads = 0, d_k = 3, d_v = 4, features = 5;
  double magnitude = 1.0;  // of queries and keys

  std::int64_t heads_of_keys() const { return kv_heads > 0 ? kv_heads : heads; }
  static std::int64_t total(const Lengths& lengths) {
    std::int64_t sum = 0;
    for (const std::int64_t length : lengths) {
      sum += length;
    }
    return sum;
  }
  AttentionOptions options() const {
    return {.heads = heads,
            .kv_heads = kv_heads,
            .d_k = d_k,
            .d_v = d_v,
            .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(d_k))),
            .mask = mask,
            .prefix = {},
            .bias = {},
            .dropout = {}};
  }
  Values omega() const {
    Values values = random_values(features * d_k, 21);
    for (double& value : values) {
      value *= 1.5;
    }
    return values;
  }
};

const Lengths kFew{3, 1, 5};
const Lengths kLong{130, 1, 64, 70};

std::vector<PerformerVariant> small_variants() {
  return {{"none", kFew, kFew},
          {"causal", kFew, kFew, Mask::causal},
          {"two heads share keys", kFew, kFew, Mask::causal, 4, 2},
          {"causal over longer memories", {2, 1, 3}, {4, 1, 7}, Mask::causal},
          {"other lengths", kFew, {2, 4, 1}},
          {"a sentence without keys", {2, 1}, {0, 3}},
          {"a sentence without queries", {0, 2}, {3, 2}, Mask::causal},
          {"no sentence", {}, {}},
          {"one token, one feature", {1}, {1}, Mask::causal, 1, 0, 1, 1, 1}};
}

std::vector<PerformerVariant> long_variants() {
  return {{"long", kLong, kLong, Mask::none, 2, 0, 16, 8, 40},
          {"long, causal", kLong, kLong, Mask::causal, 2, 0, 16, 16, 32},
          {"long, causal, odd sizes", {100, 65}, {100, 65}, Mask::causal, 4, 2, 5, 7, 19},
          {"long memories", {3, 70, 64}, {200, 150, 129}, Mask::causal, 2, 0, 8, 8, 24},
          {"long, large", kLong, kLong, Mask::causal, 2, 0, 8, 8, 24, 4.0}};
}

OpCase performer_case(const PerformerVariant& v) {
  const std::int64_t tokens = PerformerVariant::total(v.queries);
  const std::int64_t keys = PerformerVariant::total(v.keys);
  const double m = v.magnitude;
  return {
      v.name,
      {{{tokens, v.heads * v.d_k}, true, -m, m},
       {{keys, v.heads_of_keys() * v.d_k}, true, -m, m},
       {{keys, v.heads_of_keys() * v.d_v}}},
      [v](const Inputs& x, Context& c) {
        const Tensor omega = tensor_of(v.omega(), {v.features, v.d_k}, x[0].dtype(), c.region);
        return Inputs{performer_attention(x[0], x[1], x[2], omega, layout_of(v.queries, c.region),
                                          layout_of(v.keys, c.region), v.options(), c)};
      }};
}

// φ_r(x) = exp(ω_r·x' - |x'|²/2) / √m,  x' = x / d^(1/4): eq. 5 of the paper
Values phi(const PerformerVariant& v, const double* x) {
  const double root = std::pow(static_cast<double>(v.d_k), -0.25);
  const Values omega = v.omega();
  Values result;
  double square = 0;
  for (std::int64_t c = 0; c < v.d_k; ++c) {
    square += root * x[c] * root * x[c];
  }
  for (std::int64_t r = 0; r < v.features; ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < v.d_k; ++c) {
      sum += omega[static_cast<std::size_t>(r * v.d_k + c)] * root * x[c];
    }
    result.push_back(std::exp(sum - square / 2) / std::sqrt(static_cast<double>(v.features)));
  }
  return result;
}

// The weight of every pair, divided by the sum of those that the query sees.
Values dense_weights(const PerformerVariant& v, const Values& q, const Values& k, std::size_t s,
                     std::int64_t first_query, std::int64_t first_key, std::int64_t head) {
  const std::int64_t kv_head = head / (v.heads / v.heads_of_keys());
  Values weights;
  for (std::int64_t i = 0; i < v.queries[s]; ++i) {
    const Values a = phi(v, q.data() + ((first_query + i) * v.heads + head) * v.d_k);
    Values row;
    double total = 0;
    for (std::int64_t j = 0; j < v.keys[s]; ++j) {
      const Values b = phi(v, k.data() + ((first_key + j) * v.heads_of_keys() + kv_head) * v.d_k);
      const bool sees = v.mask == Mask::none || j - v.keys[s] <= i - v.queries[s];
      row.push_back(0.0);
      for (std::size_t r = 0; r < a.size() && sees; ++r) {
        row.back() += a[r] * b[r];
      }
      total += row.back();
    }
    for (const double weight : row) {
      weights.push_back(weight / total);
    }
  }
  return weights;
}

TEST(PerformerAttention, PassesEveryUseOfItsCases) {
  for (const PerformerVariant& variant : small_variants()) {
    check_op(performer_case(variant));
  }
}

TEST(PerformerAttention, AgreesOnEveryBackendOverManyChunks) {
  for (const PerformerVariant& variant : long_variants()) {
    expect_backends_agree(performer_case(variant));
  }
}

TEST(PerformerAttention, IsThePapersSumOfPositiveFeatures) {
  for (const PerformerVariant& v : small_variants()) {
    SCOPED_TRACE(v.name);
    Region region(shared_backend("reference"), std::int64_t{1} << 26U);
    Context c{.region = region};
    const auto q_layout = layout_of(v.queries, region);
    const auto k_layout = layout_of(v.keys, region);
    const Values q = random_values(q_layout->tokens * v.heads * v.d_k, 1);
    const Values k = random_values(k_layout->tokens * v.heads_of_keys() * v.d_k, 2);
    const Tensor weights = performer_attention_weights(
        tensor_of(q, {q_layout->tokens, v.heads * v.d_k}, DType::f64, region),
        tensor_of(k, {k_layout->tokens, v.heads_of_keys() * v.d_k}, DType::f64, region),
        tensor_of(v.omega(), {v.features, v.d_k}, DType::f64, region), q_layout, k_layout,
        v.options(), c);
    Values expected;
    std::int64_t first_query = 0;
    std::int64_t first_key = 0;
    for (std::size_t s = 0; s < v.queries.size(); ++s) {
      for (std::int64_t head = 0; head < v.heads; ++head) {
        const Values part = dense_weights(v, q, k, s, first_query, first_key, head);
        expected.insert(expected.end(), part.begin(), part.end());
      }
      first_query += v.queries[s];
      first_key += v.keys[s];
    }
    expect_near(values_of(weights), expected, 1e-6, v.name);  // the scale is an f32
  }
}

// With the unit matrix as V, out is the weights.
TEST(PerformerAttention, MultipliesItsWeightsWithTheValues) {
  PerformerVariant v{"weights", {5}, {5}, Mask::causal, 1, 0, 3, 5, 6};
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  Context c{.region = region};
  const auto layout = layout_of({5}, region);
  const Tensor x = tensor_of(random_values(15, 1), {5, 3}, DType::f64, region);
  Values one(25, 0.0);
  for (std::size_t i = 0; i < 5; ++i) {
    one[i * 6] = 1.0;
  }
  const Tensor omega = tensor_of(v.omega(), {6, 3}, DType::f64, region);
  const Tensor V = tensor_of(one, {5, 5}, DType::f64, region);
  expect_near(values_of(performer_attention(x, x, V, omega, layout, layout, v.options(), c)),
              values_of(performer_attention_weights(x, x, omega, layout, layout, v.options(), c)),
              1e-12, "out");
}

// Bits of the first tokens' outputs do not change with later tokens, however large they are.
TEST(PerformerAttention, DoesNotSeeLaterTokensUnderACausalMask) {
  for (const char* backend : {"reference", "cpu"}) {
    Values outputs[2];
    for (std::size_t run = 0; run < 2; ++run) {
      constexpr std::int64_t kTokens = 150, kKept = 100, kWidth = 16;
      Region region(shared_backend(backend), std::int64_t{1} << 24U);
      Context c{.region = region};
      Values x = random_values(kTokens * kWidth, 5);
      for (std::size_t i = kKept * kWidth; i < x.size(); ++i) {
        x[i] = run == 0 ? x[i] : 9 * x[i] + 1;
      }
      const Tensor X = tensor_of(x, {kTokens, kWidth}, DType::f32, region);
      const PerformerVariant v{"", {}, {}, Mask::causal, 2, 0, 8, 8, 20};
      const Tensor omega = tensor_of(v.omega(), {20, 8}, DType::f32, region);
      const auto layout = layout_of({kTokens}, region);
      outputs[run] = values_of(performer_attention(X, X, X, omega, layout, layout, v.options(), c));
      outputs[run].resize(kKept * kWidth);
    }
    EXPECT_EQ(outputs[0], outputs[1]) << backend;
  }
}

// Exponents of hundreds: plain powers would be infinite, and their differences lost.
TEST(PerformerAttention, StaysFiniteForLargeQueriesAndKeys) {
  for (const Mask mask : {Mask::none, Mask::causal}) {
    const PerformerVariant v{"huge", {90}, {90}, mask, 2, 0, 8, 8, 24, 60.0};
    for (const std::string_view backend : {"reference", "cpu"}) {
      const OpResult result = run_op(performer_case(v), {.backend = backend, .dtype = DType::f32});
      for (const double value : result.outputs[0]) {
        ASSERT_LE(std::abs(value), 1.0 + 1e-5) << backend;
      }
      for (const Values& gradient : result.gradients) {
        for (const double value : gradient) {
          ASSERT_TRUE(std::isfinite(value)) << backend;
        }
      }
    }
  }
}

TEST(PerformerAttention, HasTheSameBitsForAnyNumberOfThreads) {
  const OpCase made = performer_case(long_variants()[1]);
  const OpResult one = run_op(made, {.backend = "cpu", .dtype = DType::f32, .threads = 1});
  const OpResult four = run_op(made, {.backend = "cpu", .dtype = DType::f32, .threads = 4});
  EXPECT_EQ(one.outputs, four.outputs);
  EXPECT_EQ(one.gradients, four.gradients);
}

TEST(PerformerAttention, RefusesWhatItHasNoFormFor) {
  Region region(shared_backend("reference"), std::int64_t{1} << 20U);
  Context c{.region = region};
  const Tensor x = tensor_of(random_values(16, 1), {4, 4}, DType::f64, region);
  const Tensor omega = tensor_of(random_values(12, 2), {3, 4}, DType::f64, region);
  const auto layout = layout_of({4}, region);
  const auto message = [&](const Tensor& features, const AttentionOptions& options) {
    return message_of<InvalidArgument>(
        [&] { performer_attention(x, x, x, features, layout, layout, options, c); });
  };
  AttentionOptions options{.d_k = 4, .d_v = 4, .prefix = {}, .bias = {}, .dropout = {}};
  EXPECT_THAT(message(omega.columns(0, 3), options),
              ::testing::HasSubstr("features of shape [3, 3] for heads of 4 channels"));
  options.dropout = Dropout::with(0.5, 1, 2);
  EXPECT_THAT(message(omega, options), ::testing::HasSubstr("a pattern, a bias or dropout"));
}

}  // namespace
}  // namespace yona::testing
