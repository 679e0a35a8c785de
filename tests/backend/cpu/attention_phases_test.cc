// What a dilated window computes is in tests/tensor/ops/attention_test.cc; here is how it is cut.

#include "yona/backend/cpu/attention_phases.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/backend/cpu/attention_problem.h"

namespace yona::test {
namespace {

TEST(AttentionPhases, EveryRowBelongsToOnePhase) {
  AttentionProblem problem({.queries = {2, 7, 0}, .keys = {5, 7, 0}});
  AttentionArgs args = problem.args();
  args.pattern.before = 3;
  args.pattern.dilation = 3;
  std::vector<int> query_uses(9, 0);
  std::vector<int> key_uses(12, 0);
  cpu::for_each_phase({.forward = args}, [&](const AttentionBackwardArgs& phase) {
    const AttentionArgs& part = phase.forward;
    EXPECT_EQ(part.sentences, 1);
    EXPECT_EQ(part.pattern.dilation, 1);
    EXPECT_EQ(part.pattern.step, 3);
    EXPECT_EQ(part.q_offsets[1], part.q.rows);
    for (std::int64_t row = 0; row < part.q.rows; ++row) {
      ++query_uses[static_cast<std::size_t>((part.q.row<float>(row) - args.q.row<float>(0)) /
                                            args.q.stride)];
    }
    for (std::int64_t row = 0; row < part.k.rows; ++row) {
      ++key_uses[static_cast<std::size_t>((part.k.row<float>(row) - args.k.row<float>(0)) /
                                          args.k.stride)];
    }
  });
  EXPECT_EQ(query_uses, std::vector<int>(9, 1));
  EXPECT_EQ(key_uses, std::vector<int>(12, 1));
}

}  // namespace
}  // namespace yona::test
