// Additive attention on the CPU: what differs from dot-product attention, against the reference.
// Tiles, masks and dropout are shared and tested with attention.

#include <limits>

#include <gtest/gtest.h>

#include "tests/backend/cpu/attention_problem.h"

namespace yona::test {
namespace {

void expect_additive_like_reference(const AttentionShape& shape) {
  const AdditiveProblem forward(shape);
  const AdditiveBackwardProblem backward(shape);
  on_every_isa([&] {
    expect_like_reference(forward, &Kernels::additive_attention);
    expect_like_reference(backward, &Kernels::additive_attention_backward);
  });
}

TEST(CpuAdditiveAttention, MatchesTheReferenceForEveryMaskAndHeadSize) {
  for (const Mask mask : {Mask::none, Mask::causal, Mask::prefix}) {
    for (const std::int64_t d : {1, 3, 16, 33, 64}) {
      SCOPED_TRACE(testing::Message() << "mask " << static_cast<int>(mask) << ", d " << d);
      expect_additive_like_reference({.queries = {5, 17, 40},
                                      .keys = {9, 16, 33},
                                      .d_k = d,
                                      .d_v = d + 1,
                                      .mask = mask,
                                      .prefix = {2, 0, 20},
                                      .padding = 5});
    }
  }
}

TEST(CpuAdditiveAttention, TakesManyTilesManyHeadsAndDropout) {
  expect_additive_like_reference({.queries = {1, 70, 100},
                                  .keys = {3, 130, 100},
                                  .heads = 10,
                                  .d_k = 8,
                                  .mask = Mask::causal,
                                  .dropout = 0.3});
}

TEST(CpuAdditiveAttention, TakesEmptySentencesAndNone) {
  expect_additive_like_reference({.queries = {}, .keys = {}});
  expect_additive_like_reference({.queries = {0, 3, 0, 9}, .keys = {4, 0, 0, 9}});
}

TEST(CpuAdditiveAttention, AddsToTheGradientsThatAskForIt) {
  for (unsigned which = 0; which < 8; ++which) {
    expect_additive_like_reference({.queries = {20, 0, 90},
                                    .keys = {15, 4, 100},
                                    .mask = Mask::causal,
                                    .accumulate_dq = (which & 1U) != 0,
                                    .accumulate_dk = (which & 2U) != 0,
                                    .accumulate_dv = (which & 4U) != 0});
  }
}

TEST(CpuAdditiveAttention, TakesSumsWhereTanhIsFlat) {
  expect_additive_like_reference({.queries = {20}, .keys = {30}, .magnitude = 1e4});
}

TEST(CpuAdditiveAttention, CarriesNaNThrough) {
  on_every_isa([&] {
    AdditiveProblem problem({.queries = {20}, .keys = {20}});
    problem.q.at(3, 5) = std::numeric_limits<float>::quiet_NaN();
    cpu_kernels().additive_attention(problem.args(), one_thread());
    EXPECT_TRUE(std::isnan(problem.out.at(3, 0)));
    EXPECT_FALSE(std::isnan(problem.out.at(2, 0)));
  });
}

}  // namespace
}  // namespace yona::test
