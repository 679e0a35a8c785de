#include "yona/train/scaling.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Scaling, OneRankExchangesNothing) {
  EXPECT_EQ(exchanged_bytes(1000, 1).gradients, 0);
  EXPECT_EQ(exchanged_bytes(1000, 1).weights, 0);
}

TEST(Scaling, ManyRanksSendGradientsAndWeightsOnce) {
  EXPECT_DOUBLE_EQ(exchanged_bytes(1000, 2).gradients, 2000);
  EXPECT_DOUBLE_EQ(exchanged_bytes(1000, 2).weights, 2000);
  EXPECT_NEAR(exchanged_bytes(1000, 512).gradients, 4000, 10);
}

TEST(Scaling, GradientsInBf16AreHalfAsMany) {
  const ExchangedBytes bytes = exchanged_bytes(1000, 2, Precision::bf16);
  EXPECT_DOUBLE_EQ(bytes.gradients, 1000);
  EXPECT_DOUBLE_EQ(bytes.weights, 2000);
}

TEST(Scaling, AWaitAsLongAsTheStepHalvesTheEfficiency) {
  EXPECT_DOUBLE_EQ(scaling_efficiency(0.5, 0.5), 0.5);
  EXPECT_DOUBLE_EQ(scaling_efficiency(0.5, 0), 1.0);
}

TEST(Scaling, ExpectsLessOfSlowerLinksAndMoreRanks) {
  const Json expected = expected_scaling(0.04, 63'000'000);
  ASSERT_EQ(expected.size(), 6U);
  EXPECT_GT(expected[0].at("efficiency"), expected[2].at("efficiency"));
  EXPECT_GT(expected[0].at("efficiency"), expected[3].at("efficiency"));
  // 8 · 63e6 · 7/8 bytes at 450 GB/s
  EXPECT_NEAR(expected[0].at("exchange_ms").get<double>(), 0.98, 1e-3);
}

TEST(Scaling, OverlapHidesGradientsButNotWeights) {
  for (const Json& each : expected_scaling(0.04, 63'000'000)) {
    const double exchange = each.at("exchange_ms").get<double>();
    EXPECT_NEAR(each.at("efficiency").get<double>(), 40 / (40 + exchange), 1e-9);
    EXPECT_NEAR(each.at("efficiency_overlapped").get<double>(), 40 / (40 + exchange / 2), 1e-9);
  }
  // A backward pass of 0.67 ms hides as much of the gradients' 4.4 ms.
  const Json slow = expected_scaling(0.001, 63'000'000)[3];
  const double half = slow.at("exchange_ms").get<double>() / 2;
  EXPECT_NEAR(slow.at("efficiency_overlapped").get<double>(), 1 / (1 + 2 * half - 2.0 / 3), 1e-9);
}

}  // namespace
}  // namespace yona
