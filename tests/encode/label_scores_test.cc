#include "yona/encode/label_scores.h"

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(LabelScores, ProbabilitiesSumToOneForLargeLogits) {
  const std::vector<double> p = probabilities({1000.0F, 1001.0F, -1000.0F});
  EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-12);
  EXPECT_NEAR(p[1] / p[0], 2.718281828, 1e-6);
}

TEST(LabelScores, TheMostProbableIsFirstAndEqualOnesKeepTheirOrder) {
  const std::vector<LabelScore> sorted = sorted_scores({0.25, 0.5, 0.25}, {"a", "b", "c"});
  EXPECT_EQ(sorted[0].label, "b");
  EXPECT_EQ(sorted[1].label, "a");
  EXPECT_EQ(sorted[2].label, "c");
}

}  // namespace
}  // namespace yona::testing
