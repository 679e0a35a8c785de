#include "yona/nn/attention/sparse.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/harness/bound_module.h"
#include "tests/harness/compare.h"

namespace yona::testing {
namespace {

constexpr HeadShape kSparseHeads{.heads = 2, .d_k = 4, .d_v = 3};

AttentionSpec spec_of(AttentionKind kind) {
  return {
      .kind = kind,
      .sizes = {.window = 4, .dilation = 2, .block = 3, .global_blocks = 1, .random_blocks = 1}};
}

// How many keys each query of a sentence of ten tokens sees, by the weights of the first head.
std::vector<int> seen_keys(AttentionKind kind, Mask mask) {
  const auto attend = make_attention(spec_of(kind), kSparseHeads);
  BoundModule bound(*attend);
  const Ragged Q = bound.input({10}, 8);
  const Ragged K = bound.input({10}, 8, 9);
  const std::vector<double> weights = values_of(attend->weights(Q, K, mask, bound.c));
  std::vector<int> seen(10, 0);
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 10; ++j) {
      seen[i] += weights[i * 10 + j] > 0 ? 1 : 0;
    }
  }
  return seen;
}

TEST(SparseAttention, SeesAsManyKeysAsItsKindSays) {
  using Seen = std::vector<int>;
  EXPECT_EQ(seen_keys(AttentionKind::window, Mask::causal), (Seen{1, 2, 3, 4, 4, 4, 4, 4, 4, 4}));
  EXPECT_EQ(seen_keys(AttentionKind::window, Mask::none), (Seen{3, 4, 5, 5, 5, 5, 5, 5, 4, 3}));
  EXPECT_EQ(seen_keys(AttentionKind::dilated, Mask::causal), (Seen{1, 1, 2, 2, 3, 3, 4, 4, 4, 4}));
  EXPECT_EQ(seen_keys(AttentionKind::blocks, Mask::none), (Seen{3, 3, 3, 3, 3, 3, 3, 3, 3, 1}));
  EXPECT_EQ(seen_keys(AttentionKind::blocks, Mask::causal), (Seen{1, 2, 3, 1, 2, 3, 1, 2, 3, 1}));
}

TEST(SparseAttention, HasNoParameters) {
  const auto attend = make_attention(spec_of(AttentionKind::sparse), kSparseHeads);
  const Parameters parameters(*attend, shared_backend("reference"), Gradients::no);
  EXPECT_EQ(parameters.count(), 0);
}

TEST(SparseAttention, IsExactBetweenTwoSequences) {
  EXPECT_EQ(spec_of(AttentionKind::window).across().kind, AttentionKind::scaled);
  EXPECT_EQ(AttentionSpec{.kind = AttentionKind::additive}.across().kind, AttentionKind::additive);
}

}  // namespace
}  // namespace yona::testing
