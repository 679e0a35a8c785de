#include "yona/train/scaling.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Scaling, OneRankExchangesNothing) { EXPECT_EQ(exchanged_bytes(1000, 1), 0); }

TEST(Scaling, ManyRanksSendGradientsAndWeightsOnce) {
  EXPECT_DOUBLE_EQ(exchanged_bytes(1000, 2), 4000);
  EXPECT_NEAR(exchanged_bytes(1000, 512), 8000, 20);
}

TEST(Scaling, AnExchangeAsLongAsTheStepHalvesTheEfficiency) {
  EXPECT_DOUBLE_EQ(scaling_efficiency(0.5, 1e9, 2e9), 0.5);
  EXPECT_DOUBLE_EQ(scaling_efficiency(0.5, 0, 2e9), 1.0);
}

TEST(Scaling, ExpectsLessOfSlowerLinksAndMoreRanks) {
  const Json expected = expected_scaling(0.04, 63'000'000);
  ASSERT_EQ(expected.size(), 6U);
  EXPECT_GT(expected[0].at("efficiency"), expected[2].at("efficiency"));
  EXPECT_GT(expected[0].at("efficiency"), expected[3].at("efficiency"));
  // 8 · 63e6 · 7/8 bytes at 450 GB/s
  EXPECT_NEAR(expected[0].at("exchange_ms").get<double>(), 0.98, 1e-3);
}

}  // namespace
}  // namespace yona
