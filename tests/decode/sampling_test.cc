#include "yona/decode/sampling.h"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace yona {
namespace {

const std::vector<float> kSorted{std::log(0.5F), std::log(0.3F), std::log(0.15F), std::log(0.05F)};

TEST(Sampling, TakesTheTokenWhoseShareTheNumberFallsInto) {
  EXPECT_EQ(sample_any(kSorted, 1.0, 0.0), 0U);
  EXPECT_EQ(sample_any(kSorted, 1.0, 0.49), 0U);
  EXPECT_EQ(sample_any(kSorted, 1.0, 0.51), 1U);
  EXPECT_EQ(sample_any(kSorted, 1.0, 0.81), 2U);
  EXPECT_EQ(sample_any(kSorted, 1.0, 0.999999), 3U);
  EXPECT_EQ(sample_sorted(kSorted, {.on = true}, 0.81), 2U);
}

TEST(Sampling, NeverDrawsWhatHasNoProbability) {
  const std::vector<float> row{-INFINITY, 0.0F, -INFINITY};
  for (const double number : {0.0, 0.5, 1.0 - 0x1.0p-53}) {
    EXPECT_EQ(sample_any(row, 1.0, number), 1U);
  }
}

TEST(Sampling, KeepsTheBestKOrTheBestThatHaveP) {
  EXPECT_EQ(sample_sorted(kSorted, {.on = true, .top_k = 2}, 0.62), 0U);  // 0.625 of what is left
  EXPECT_EQ(sample_sorted(kSorted, {.on = true, .top_k = 2}, 0.99), 1U);
  EXPECT_EQ(sample_sorted(kSorted, {.on = true, .top_p = 0.4}, 0.99), 0U);
  EXPECT_EQ(sample_sorted(kSorted, {.on = true, .top_p = 0.6}, 0.99), 1U);
  EXPECT_EQ(sample_sorted(kSorted, {.on = true, .top_k = 100, .top_p = 1e-9}, 0.99), 0U);
}

TEST(Sampling, IsSharpWhenColdAndFlatWhenHot) {
  EXPECT_EQ(sample_any(kSorted, 0.01, 0.999), 0U);
  EXPECT_EQ(sample_any(kSorted, 1000.0, 0.74), 2U);
  EXPECT_EQ(sample_any(kSorted, 1000.0, 0.76), 3U);
}

TEST(Sampling, NumbersDependOnSeedRequestSampleAndStepAlone) {
  std::set<double> numbers;
  for (const std::uint64_t seed : {1U, 2U}) {
    for (const std::uint64_t request : {std::uint64_t{0}, std::uint64_t{1} << 40U}) {
      for (const std::uint64_t sample : {0U, 1U}) {
        for (const std::int64_t step : {0, 1}) {
          const double number = sample_number(seed, {request, sample, step});
          EXPECT_EQ(number, sample_number(seed, {request, sample, step}));
          EXPECT_GE(number, 0.0);
          EXPECT_LT(number, 1.0);
          numbers.insert(number);
        }
      }
    }
  }
  EXPECT_EQ(numbers.size(), 16U);
}

TEST(Sampling, DrawsAsOftenAsIsProbable) {
  std::vector<int> counts(kSorted.size());
  for (std::int64_t step = 0; step < 20000; ++step) {
    ++counts[sample_any(kSorted, 1.0, sample_number(7, {3, 0, step}))];
  }
  EXPECT_NEAR(counts[0] / 20000.0, 0.5, 0.015);  // four deviations
  EXPECT_NEAR(counts[3] / 20000.0, 0.05, 0.007);
}

}  // namespace
}  // namespace yona
