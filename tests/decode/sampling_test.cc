#include "yona/decode/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
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

// Sorting everything first gives the same tokens.
TEST(Sampling, DrawsFromTheNucleusOfAVocabularyInAnyOrder) {
  std::vector<float> row(3000);
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = static_cast<float>(4.0 * std::sin(static_cast<double>(i * i)));
    row[i] = i % 7 == 0 ? -INFINITY : i % 5 == 0 ? 1.0F : row[i];  // impossible ones, and ties
  }
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  std::vector<float> sorted;
  for (const std::size_t i : order) {
    sorted.push_back(row[i]);
  }
  for (const double top_p : {1e-9, 0.1, 0.5, 0.9, 0.999}) {
    for (const double temperature : {0.5, 1.0, 20.0}) {
      const SamplingOptions options{.on = true, .temperature = temperature, .top_p = top_p};
      for (const double number : {0.0, 0.123, 0.5, 0.77, 0.9999}) {
        EXPECT_EQ(sample_nucleus(row, options, number),
                  order[sample_sorted(sorted, options, number)])
            << top_p << " " << temperature << " " << number;
      }
    }
  }
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
