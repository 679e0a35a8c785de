// The plan of an epoch: budget, completeness, shuffling, weights.

#include "yona/data/batches.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/parallel_text.h"

#include "tests/data/sample_corpus.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_corpus;
using testing::sample_subwords;
using testing::TempDir;

class BatchesTest : public ::testing::Test {
 protected:
  ParallelText open(const std::vector<CorpusSpec>& corpora,
                    const ParallelTextOptions& options = {}) {
    return ParallelText::open(corpora, sample_subwords(), options, folder_ / "cache", pool_);
  }
  ParallelText open(int pairs) { return open({sample_corpus(folder_.path(), "a", pairs)}); }

  static std::vector<std::uint32_t> row_of(const BatchPlan& plan) {
    std::vector<std::uint32_t> row;
    for (std::int64_t index = 0; index < plan.batches(); ++index) {
      const auto batch = plan.batch(index);
      row.insert(row.end(), batch.begin(), batch.end());
    }
    return row;
  }
  static std::map<std::uint32_t, int> counts_of(const BatchPlan& plan) {
    std::map<std::uint32_t, int> counts;
    for (const std::uint32_t pair : row_of(plan)) {
      ++counts[pair];
    }
    return counts;
  }
  static std::int64_t tokens_of(const ParallelText& dataset, std::span<const std::uint32_t> batch) {
    std::int64_t source = 0;
    std::int64_t target = 0;
    for (const std::uint32_t pair : batch) {
      source += dataset.lengths(pair)[kSource];
      target += dataset.lengths(pair)[kTarget];
    }
    return std::max(source, target);
  }

  TempDir folder_;
  ThreadPool pool_{2};
};

TEST_F(BatchesTest, EveryPairIsSeenOncePerEpoch) {
  const ParallelText dataset = open(500);
  for (const std::int64_t budget : {1, 50, 300, 1000000}) {
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
      const BatchPlan plan = BatchPlan::shuffled(dataset, budget, 7, epoch);
      EXPECT_EQ(plan.examples(), 500U);
      std::vector<std::uint32_t> row = row_of(plan);
      std::sort(row.begin(), row.end());
      std::vector<std::uint32_t> all(500);
      std::iota(all.begin(), all.end(), 0U);
      EXPECT_EQ(row, all);
    }
  }
}

TEST_F(BatchesTest, TheBudgetHoldsExceptForAPairThatAloneIsLonger) {
  const ParallelText dataset = open(500);
  for (const std::int64_t budget : {20, 100, 400}) {
    for (const BatchPlan& plan :
         {BatchPlan::shuffled(dataset, budget, 7, 0), BatchPlan::in_order(dataset, budget)}) {
      int over = 0;
      for (std::int64_t index = 0; index < plan.batches(); ++index) {
        const auto batch = plan.batch(index);
        ASSERT_FALSE(batch.empty());
        if (tokens_of(dataset, batch) > budget) {
          EXPECT_EQ(batch.size(), 1U);
          ++over;
        }
      }
      EXPECT_EQ(over > 0, budget < 200) << budget;
    }
  }
}

TEST_F(BatchesTest, BatchesAreWellFilledAndOfSimilarLengths) {
  const ParallelText dataset = open(3000);
  constexpr std::int64_t kBudget = 1000;
  const BatchPlan plan = BatchPlan::shuffled(dataset, kBudget, 7, 0);
  std::int64_t tokens = 0;
  double spread = 0;
  for (std::int64_t index = 0; index < plan.batches(); ++index) {
    const auto batch = plan.batch(index);
    tokens += tokens_of(dataset, batch);
    std::int64_t shortest = 1000;
    std::int64_t longest = 0;
    for (const std::uint32_t pair : batch) {
      const auto length = std::max(dataset.lengths(pair)[kSource], dataset.lengths(pair)[kTarget]);
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
    }
    spread += static_cast<double>(longest) / static_cast<double>(shortest);
  }
  EXPECT_GT(tokens, plan.batches() * kBudget * 85 / 100);
  EXPECT_LT(spread / static_cast<double>(plan.batches()), 1.4);
}

TEST_F(BatchesTest, IsAFunctionOfSeedAndEpoch) {
  const ParallelText dataset = open(500);
  const std::vector<std::uint32_t> row = row_of(BatchPlan::shuffled(dataset, 200, 7, 0));
  EXPECT_EQ(row_of(BatchPlan::shuffled(dataset, 200, 7, 0)), row);
  EXPECT_NE(row_of(BatchPlan::shuffled(dataset, 200, 7, 1)), row);
  EXPECT_NE(row_of(BatchPlan::shuffled(dataset, 200, 8, 0)), row);
}

TEST_F(BatchesTest, CompaniesChangeFromEpochToEpoch) {
  const ParallelText dataset = open(500);
  std::set<std::set<std::uint32_t>> companies;
  std::size_t batches = 0;
  for (std::int64_t epoch = 0; epoch < 2; ++epoch) {
    const BatchPlan plan = BatchPlan::shuffled(dataset, 300, 7, epoch);
    for (std::int64_t index = 0; index < plan.batches(); ++index) {
      const auto batch = plan.batch(index);
      companies.insert({batch.begin(), batch.end()});
      ++batches;
    }
  }
  EXPECT_GT(companies.size(), batches * 9 / 10);
}

TEST_F(BatchesTest, LengthsAreNotInOrderOverTheEpoch) {
  const ParallelText dataset = open(2000);
  const BatchPlan plan = BatchPlan::shuffled(dataset, 300, 7, 0);
  int rising = 0;
  for (std::int64_t index = 1; index < plan.batches(); ++index) {
    rising += dataset.lengths(plan.batch(index)[0])[kSource] >
                      dataset.lengths(plan.batch(index - 1)[0])[kSource]
                  ? 1
                  : 0;
  }
  EXPECT_GT(rising, plan.batches() / 4);
  EXPECT_LT(rising, plan.batches() * 3 / 4);
}

TEST_F(BatchesTest, InOrderFollowsTheFiles) {
  const ParallelText dataset = open(100);
  const std::vector<std::uint32_t> row = row_of(BatchPlan::in_order(dataset, 150));
  EXPECT_TRUE(std::is_sorted(row.begin(), row.end()));
  EXPECT_EQ(row.size(), 100U);
}

TEST_F(BatchesTest, WeightsSayHowOftenAnEpochSeesACorpus) {
  std::vector<CorpusSpec> corpora = {sample_corpus(folder_.path(), "a", 40, 1),
                                     sample_corpus(folder_.path(), "b", 100, 2),
                                     sample_corpus(folder_.path(), "c", 10, 3)};
  corpora[0].weight = 2;
  corpora[1].weight = 0.25;
  corpora[2].weight = 1.5;
  const ParallelText dataset = open(corpora);
  std::map<std::uint32_t, int> total;
  for (std::int64_t epoch = 0; epoch < 4; ++epoch) {
    const BatchPlan plan = BatchPlan::shuffled(dataset, 200, 7, epoch);
    EXPECT_EQ(plan.examples(), 80U + 25U + 15U);
    EXPECT_EQ(epoch_examples(dataset), plan.examples());
    for (const auto& [pair, count] : counts_of(plan)) {
      EXPECT_EQ(count, pair < 40 ? 2 : pair < 140 ? 1 : count);
      total[pair] += count;
    }
  }
  for (std::uint32_t pair = 0; pair < 150; ++pair) {
    // After four epochs every pair of b has had its one turn, and of c its six.
    EXPECT_EQ(total[pair], pair < 40 ? 8 : pair < 140 ? 1 : 6) << pair;
  }
}

TEST_F(BatchesTest, ATinyShareStillRotatesThroughTheCorpus) {
  CorpusSpec corpus = sample_corpus(folder_.path(), "a", 7);
  corpus.weight = 0.01;
  const ParallelText dataset = open({corpus});
  std::set<std::uint32_t> seen;
  for (std::int64_t epoch = 0; epoch < 7; ++epoch) {
    const BatchPlan plan = BatchPlan::shuffled(dataset, 200, 7, epoch);
    EXPECT_EQ(plan.examples(), 1U);
    seen.insert(plan.batch(0)[0]);
  }
  EXPECT_EQ(seen.size(), 7U);
}

TEST_F(BatchesTest, PlansForSampledSubwordsLeaveRoomForTheirLength) {
  const std::vector<CorpusSpec> corpora = {sample_corpus(folder_.path(), "a", 400)};
  const ParallelText dataset = open(corpora, {.sampling = 0.2});
  const BatchPlan plan = BatchPlan::shuffled(dataset, 1000, 7, 0);
  Batch batch;
  std::int64_t tokens = 0;
  for (std::int64_t index = 0; index < plan.batches(); ++index) {
    dataset.fill(plan.batch(index), 1000, {7, 0}, batch);
    EXPECT_LE(std::max(batch.sides[kSource].rows(), batch.sides[kTarget].rows()), 1000);
    tokens += std::max(batch.sides[kSource].rows(), batch.sides[kTarget].rows());
  }
  EXPECT_GT(tokens, plan.batches() * 750);
}

TEST_F(BatchesTest, RefusesImpossibleSizes) {
  CorpusSpec corpus = sample_corpus(folder_.path(), "a", 5);
  const ParallelText dataset = open({corpus});
  for (const std::int64_t budget : {0, -5}) {
    EXPECT_THAT(message_of<InvalidArgument>([&] { BatchPlan::shuffled(dataset, budget, 1, 0); }),
                HasSubstr("a batch of " + std::to_string(budget) + " tokens is impossible"));
    EXPECT_THROW(BatchPlan::in_order(dataset, budget), InvalidArgument);
  }
  corpus.weight = 1e12;
  const ParallelText heavy = open({corpus});
  EXPECT_THAT(message_of<InvalidArgument>([&] { BatchPlan::shuffled(heavy, 100, 1, 0); }),
              HasSubstr("with weight 1000000000000 is too much for one epoch"));
}

}  // namespace
}  // namespace yona
