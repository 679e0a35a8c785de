// Expected values are those of scikit-learn 1.9 (accuracy_score, f1_score, matthews_corrcoef) and
// of scipy.stats.spearmanr.
#include "yona/score/class_figures.h"

#include <cmath>

#include <gtest/gtest.h>

namespace yona {
namespace {

const std::vector<std::int32_t> kTwo{0, 1, 1, 0, 1, 1};
const std::vector<std::int32_t> kTwoPredicted{0, 1, 0, 1, 1, 1};
const std::vector<std::int32_t> kThree{0, 1, 2, 2, 1, 0, 2};
const std::vector<std::int32_t> kThreePredicted{0, 2, 2, 2, 1, 1, 0};

TEST(ClassFigures, OfTwoClassesF1IsThatOfTheSecond) {
  EXPECT_NEAR(accuracy(kTwo, kTwoPredicted), 0.6666666666666666, 1e-12);
  EXPECT_NEAR(f1_score(kTwo, kTwoPredicted, 2), 0.75, 1e-12);
  EXPECT_NEAR(matthews(kTwo, kTwoPredicted), 0.25, 1e-12);
}

TEST(ClassFigures, OfMoreClassesF1IsTheMeanOverThem) {
  EXPECT_NEAR(accuracy(kThree, kThreePredicted), 0.5714285714285714, 1e-12);
  EXPECT_NEAR(f1_score(kThree, kThreePredicted, 3), 0.5555555555555555, 1e-12);
  EXPECT_NEAR(matthews(kThree, kThreePredicted), 0.34375, 1e-12);
}

TEST(ClassFigures, OneClassAloneHasNoCorrelation) {
  const std::vector<std::int32_t> ones{1, 1, 1};
  EXPECT_EQ(matthews(ones, ones), 0.0);
  EXPECT_EQ(accuracy({}, {}), 0.0);
}

TEST(ClassFigures, SpearmanSharesTheRanksOfEqualValues) {
  const std::vector<double> a{1, 2, 2, 4, 5};
  const std::vector<double> b{3, 1, 2, 6, 6};
  EXPECT_NEAR(spearman(a, b), 0.6315789473684211, 1e-12);
  EXPECT_TRUE(std::isnan(spearman(a, std::vector<double>(5, 1.0))));
}

}  // namespace
}  // namespace yona
