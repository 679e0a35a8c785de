#include "yona/nn/attention/lambda.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

constexpr HeadShape kLambdaHeads{.heads = 2, .d_k = 3, .d_v = 4};
const AttentionSpec kLambdaSpec{.kind = AttentionKind::lambda, .sizes = {.window = 5}};

double element(const Tensor& x, std::int64_t row, std::int64_t column) {
  return values_of(x.row_range(row, 1).columns(column, 1))[0];
}

// λ = softmax(K)ᵀ V + Σ e vᵀ of one sentence, formed for every token.
TEST(LambdaAttention, IsTheProductWithTheSumOfBothLambdas) {
  LambdaAttention layer(kLambdaHeads, kLambdaSpec);
  BoundModule bound(layer);
  constexpr std::int64_t kTokens = 6;
  const Ragged Q = bound.input({kTokens}, 6);
  const Ragged K = bound.input({kTokens}, 6, 9);
  const Ragged V = bound.input({kTokens}, 8, 10);
  const Tensor e = bound["positions"];
  EXPECT_EQ(e.shape(), (Shape{5, 3}));
  std::vector<double> expected;
  for (std::int64_t i = 0; i < kTokens; ++i) {
    for (std::int64_t head = 0; head < 2; ++head) {
      for (std::int64_t v = 0; v < 4; ++v) {
        double y = 0;
        for (std::int64_t k = 0; k < 3; ++k) {
          double total = 0;
          double content = 0;
          double position = 0;
          for (std::int64_t j = 0; j < kTokens; ++j) {
            const double weight = std::exp(element(K.values, j, head * 3 + k));
            const double value = element(V.values, j, head * 4 + v);
            total += weight;
            content += weight * value;
            position += std::abs(j - i) <= 2 ? element(e, j - i + 2, k) * value : 0.0;
          }
          y += element(Q.values, i, head * 3 + k) * (content / total + position);
        }
        expected.push_back(y);
      }
    }
  }
  expect_near(values_of(layer(Q, K, V, Mask::none, bound.c).values), expected, 1e-10, "lambda");
}

TEST(LambdaAttention, KeepsSentencesApart) {
  LambdaAttention layer(kLambdaHeads, kLambdaSpec);
  BoundModule bound(layer);
  const auto part = [&](const Ragged& all, std::int64_t first, std::int64_t tokens) {
    return Ragged{all.values.row_range(first, tokens), layout_of({tokens}, bound.region)};
  };
  const Ragged Q = bound.input({3, 4}, 6);
  const Ragged K = bound.input({3, 4}, 6, 9);
  const Ragged V = bound.input({3, 4}, 8, 10);
  const Tensor both = layer(Q, K, V, Mask::none, bound.c).values;
  const Tensor second =
      layer(part(Q, 3, 4), part(K, 3, 4), part(V, 3, 4), Mask::none, bound.c).values;
  EXPECT_EQ(values_of(both.row_range(3, 4)), values_of(second));
}

TEST(LambdaAttention, RefusesWhatItHasNoFormFor) {
  LambdaAttention layer(kLambdaHeads, kLambdaSpec);
  BoundModule bound(layer);
  const Ragged Q = bound.input({5}, 6);
  const Ragged V = bound.input({5}, 8, 10);
  EXPECT_THAT(message_of<InvalidArgument>([&] { layer(Q, Q, V, Mask::causal, bound.c); }),
              ::testing::HasSubstr("lambda has no causal form"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { layer(Q.values, {}, Mask::none, bound.c); }),
              ::testing::HasSubstr("none over a cache"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { layer.weights(Q, Q, Mask::none, bound.c); }),
              ::testing::HasSubstr("no attention weights"));
  AttentionSpec dropping = kLambdaSpec;
  dropping.dropout = 0.1;
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                LambdaAttention{kLambdaHeads, dropping};
              }),
              ::testing::HasSubstr("lambda has no weights to drop"));
}

}  // namespace
}  // namespace yona::testing
