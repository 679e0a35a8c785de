// Attention by random features on the CPU, for every instruction set, against the reference.

#include <gtest/gtest.h>

#include "tests/backend/cpu/attention_problem.h"

namespace yona::test {
namespace {

void expect_features_like_reference(const AttentionShape& shape) {
  const PerformerProblem forward(shape);
  const PerformerBackwardProblem backward(shape);
  on_every_isa([&] {
    expect_like_reference(forward, &Kernels::performer_attention);
    expect_like_reference(backward, &Kernels::performer_attention_backward);
  });
}

TEST(CpuPerformerAttention, MatchesTheReferenceForBothMasksAndEveryHeadSize) {
  for (const Mask mask : {Mask::none, Mask::causal}) {
    for (const std::int64_t d : {1, 3, 16, 33, 64}) {
      SCOPED_TRACE(testing::Message() << "mask " << static_cast<int>(mask) << ", d " << d);
      expect_features_like_reference({.queries = {5, 16, 33},
                                      .keys = {9, 16, 80},
                                      .d_k = d,
                                      .d_v = d + 1,
                                      .mask = mask,
                                      .padding = 5});
    }
  }
}

TEST(CpuPerformerAttention, TakesManyChunksAndHeadsThatShareKeys) {
  for (const Mask mask : {Mask::none, Mask::causal}) {
    expect_features_like_reference({.queries = {1, 70, 150},
                                    .keys = {3, 130, 150},
                                    .heads = 6,
                                    .d_k = 8,
                                    .heads_per_kv = 3,
                                    .mask = mask});
  }
}

TEST(CpuPerformerAttention, TakesEmptySentencesAndNone) {
  expect_features_like_reference({.queries = {}, .keys = {}});
  expect_features_like_reference({.queries = {0, 3, 0, 9}, .keys = {4, 0, 0, 9}});
}

TEST(CpuPerformerAttention, AddsToTheGradientsThatAskForIt) {
  for (unsigned which = 0; which < 8; ++which) {
    expect_features_like_reference({.queries = {20, 0, 90},
                                    .keys = {25, 4, 100},
                                    .mask = Mask::causal,
                                    .accumulate_dq = (which & 1U) != 0,
                                    .accumulate_dk = (which & 2U) != 0,
                                    .accumulate_dv = (which & 4U) != 0});
  }
}

}  // namespace
}  // namespace yona::test
