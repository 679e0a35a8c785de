#include "yona/tensor/ops/feed_forward.h"

#include <optional>

#include <gtest/gtest.h>

#include "yona/tensor/ops/gelu.h"
#include "yona/tensor/ops/linear.h"

#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"

namespace yona::testing {
namespace {

struct FeedForwardVariant {
  std::string name;
  bool biases = true;
  double dropout = 0.0;
  std::optional<GeluForm> gelu{};
};

const std::vector<FeedForwardVariant> kFeedForwardVariants{
    {"biases"},
    {"no biases", false},
    {"dropout", true, 0.3},
    {"gelu", true, 0.0, GeluForm::exact},
    {"gelu without biases", false, 0.0, GeluForm::exact},
    {"gelu with tanh", true, 0.0, GeluForm::tanh}};

RowDropout dropout_of(const FeedForwardVariant& variant, const Tensor& x, Context& c) {
  return {c.dropout(variant.dropout, 5U << 12U), *layout_of({x.rows()}, c.region)};
}

Inputs fused(const FeedForwardVariant& variant, const Inputs& x, Context& c) {
  const FeedForwardWeights weights{.inner = x[1],
                                   .inner_bias = variant.biases ? x[3] : Tensor(),
                                   .outer = x[2],
                                   .outer_bias = variant.biases ? x[4] : Tensor()};
  return {variant.gelu ? feed_forward(x[0], weights, *variant.gelu, c)
                       : feed_forward(x[0], weights, dropout_of(variant, x[0], c), c)};
}

Inputs plain(const FeedForwardVariant& variant, const Inputs& x, Context& c) {
  const Tensor inner_bias = variant.biases ? x[3] : Tensor();
  Tensor hidden;
  if (variant.gelu) {
    const Tensor inner = linear(x[0], x[1], inner_bias, {}, c);
    hidden = *variant.gelu == GeluForm::exact ? gelu(inner, c) : gelu_tanh(inner, c);
  } else {
    hidden = linear(x[0], x[1], inner_bias,
                    {.activation = Activation::relu, .dropout = dropout_of(variant, x[0], c)}, c);
  }
  return {linear(hidden, x[2], variant.biases ? x[4] : Tensor(), {}, c)};
}

template <class Op>
OpCase case_of(const FeedForwardVariant& variant, std::int64_t rows, std::int64_t d,
               std::int64_t d_ff, const Op& op) {
  OpCase made{fmt::format("{} {}x{}x{}", variant.name, rows, d, d_ff),
              {{{rows, d}}, {{d_ff, d}}, {{d, d_ff}}},
              [variant, op](const Inputs& x, Context& c) { return op(variant, x, c); }};
  if (variant.biases) {
    made.inputs.push_back({{d_ff}});
    made.inputs.push_back({{d}});
  }
  return made;
}

constexpr std::int64_t kSizes[][3] = {{3, 4, 9}, {0, 4, 5}, {1, 1, 1}, {5, 7, 3}, {9, 6, 70}};

TEST(FeedForwardOp, PassesEveryUseOfItsCases) {
  for (const FeedForwardVariant& variant : kFeedForwardVariants) {
    for (const auto& [rows, d, d_ff] : kSizes) {
      check_op(case_of(variant, rows, d, d_ff, fused));
    }
  }
}

TEST(FeedForwardOp, EqualsTwoLinearsAndWhatIsBetween) {
  for (const FeedForwardVariant& variant : kFeedForwardVariants) {
    for (const auto& [rows, d, d_ff] : kSizes) {
      expect_same(case_of(variant, rows, d, d_ff, fused), case_of(variant, rows, d, d_ff, plain));
    }
  }
}

TEST(FeedForwardOp, GivesGradientsOnlyToWhatTakesThem) {
  const FeedForwardVariant variant{"biases"};
  for (int taker = 0; taker < 5; ++taker) {
    OpCase one = case_of(variant, 4, 5, 7, fused);
    for (std::size_t i = 0; i < one.inputs.size(); ++i) {
      one.inputs[i].gradient = static_cast<int>(i) == taker;
    }
    check_op(one);
  }
}

}  // namespace
}  // namespace yona::testing
