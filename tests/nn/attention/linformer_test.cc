#include "yona/nn/attention/linformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tensor/ops/attention.h"
#include "yona/tensor/ops/matmul.h"

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

constexpr HeadShape kLinformerHeads{.heads = 2, .d_k = 4, .d_v = 3};
const AttentionSpec kSpec{
    .kind = AttentionKind::linformer, .sizes = {.projected_keys = 3}, .longest = 7};

// Attention to E K and F V of one sentence.
TEST(LinformerAttention, AttendsToProjectedKeysAndValues) {
  LinformerAttention attend(kLinformerHeads, kSpec);
  BoundModule bound(attend);
  const Ragged Q = bound.input({5}, 8);
  const Ragged K = bound.input({5}, 8, 9);
  const Ragged V = bound.input({5}, 6, 10);
  const Tensor EK = matmul(bound["projected_keys"].columns(0, 5), K.values, Transpose::no, bound.c);
  const Tensor FV =
      matmul(bound["projected_values"].columns(0, 5), V.values, Transpose::no, bound.c);
  const Tensor expected = attention(
      Q.values, EK, FV, Q.layout, layout_of({3}, bound.region),
      {.heads = 2, .d_k = 4, .d_v = 3, .scale = 0.5F, .prefix = {}, .bias = {}, .dropout = {}},
      bound.c);
  const std::vector<double> given = values_of(attend(Q, K, V, Mask::none, bound.c).values);
  const std::vector<double> wanted = values_of(expected);
  ASSERT_EQ(given.size(), wanted.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_NEAR(given[i], wanted[i], 1e-9);
  }
}

TEST(LinformerAttention, RefusesWhatItHasNoFormFor) {
  LinformerAttention attend(kLinformerHeads, kSpec);
  BoundModule bound(attend);
  const Ragged Q = bound.input({5}, 8);
  const Ragged V = bound.input({5}, 6, 10);
  EXPECT_THAT(message_of<InvalidArgument>([&] { attend(Q, Q, V, Mask::causal, bound.c); }),
              ::testing::HasSubstr("linformer has no causal form"));
  const Ragged longer = bound.input({8}, 8);
  const Ragged values = bound.input({8}, 6);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { attend(longer, longer, values, Mask::none, bound.c); }),
      ::testing::HasSubstr("8 tokens is longer than the 7"));
}

}  // namespace
}  // namespace yona::testing
