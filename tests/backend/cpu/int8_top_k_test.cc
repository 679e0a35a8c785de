// The best continuations from states, against the product and top_k one after the other: equal
// tokens, scores up to the rounding of their sums; and the same bits on any number of threads.

#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/backend/cpu/int8_problem.h"

namespace yona {
namespace {

using test::Int8Memory;
using test::Matrix;

struct Found {
  std::vector<float> scores, log_sums;
  std::vector<std::int32_t> tokens, rows;
};

struct Problem {
  Problem(std::int64_t rows, std::int64_t tokens, std::int64_t d)
      : x(Matrix::random(rows, d, 1)),
        stored(Matrix::random(tokens, d, 2)),
        weights(tokens, d),
        row_scores(static_cast<std::size_t>(rows)) {
    for (std::size_t i = 0; i < row_scores.size(); ++i) {
      row_scores[i] = -0.1F * static_cast<float>(i % 5);
    }
    for (std::int64_t row = 0; row < rows; row += 4) {
      groups.push_back(row);
    }
    groups.push_back(rows);
    round();
  }
  void round() {
    cpu_kernels().quantise({.weights = stored.view(), .to = weights.weights()}, test::one_thread());
  }
  // Bans these tokens in every row.
  void ban(const std::vector<std::int32_t>& tokens) {
    ban_offsets = {0};
    for (std::int64_t row = 0; row < x.rows(); ++row) {
      bans.insert(bans.end(), tokens.begin(), tokens.end());
      ban_offsets.push_back(static_cast<std::int64_t>(bans.size()));
    }
  }

  Found find(bool at_once, Exec& exec) {
    const auto sentences = static_cast<std::int64_t>(groups.size()) - 1;
    Found found;
    found.scores.resize(static_cast<std::size_t>(sentences * k));
    found.tokens.resize(found.scores.size());
    found.rows.resize(found.scores.size());
    found.log_sums.resize(row_scores.size());
    Matrix logits(x.rows(), stored.rows());
    TopKArgs args{.logits = logits.view(),
                  .row_scores = row_scores.data(),
                  .groups = groups.data(),
                  .sentences = sentences,
                  .ban_offsets = ban_offsets.empty() ? nullptr : ban_offsets.data(),
                  .bans = bans.data(),
                  .bans_first = bans_first,
                  .only = only.empty() ? nullptr : only.data(),
                  .scores = {found.scores.data(), sentences, k, k, DType::f32},
                  .tokens = {found.tokens.data(), sentences, k, k, DType::i32},
                  .rows = {found.rows.data(), sentences, k, k, DType::i32},
                  .log_sums = {found.log_sums.data(), 1, x.rows(), x.rows(), DType::f32}};
    if (at_once) {
      args.logits.data = nullptr;
      cpu_kernels().int8_top_k({.x = x.view(), .weights = weights.weights(), .top_k = args}, exec);
    } else {
      cpu_kernels().int8_matmul({.x = x.view(), .weights = weights.weights(), .y = logits.view()},
                                exec);
      cpu_kernels().top_k(args, exec);
    }
    return found;
  }

  Matrix x, stored;
  Int8Memory weights;
  std::vector<float> row_scores;
  std::vector<std::int64_t> groups, ban_offsets;
  std::vector<std::int32_t> bans, only;
  bool bans_first = false;
  std::int64_t k = 8;
};

void expect_the_same(Problem problem) {
  const Found expected = problem.find(false, test::one_thread());
  const Found one = problem.find(true, test::one_thread());
  const Found two = problem.find(true, test::two_threads());
  EXPECT_EQ(one.tokens, expected.tokens);
  EXPECT_EQ(one.rows, expected.rows);
  for (std::size_t i = 0; i < expected.scores.size(); ++i) {
    if (std::isfinite(expected.scores[i])) {
      EXPECT_NEAR(one.scores[i], expected.scores[i], 2e-5) << i;
    } else {
      EXPECT_EQ(one.scores[i], expected.scores[i]) << i;
    }
  }
  EXPECT_EQ(two.tokens, one.tokens);
  EXPECT_EQ(two.scores, one.scores);
  EXPECT_EQ(two.log_sums, one.log_sums);
}

TEST(CpuInt8TopK, FindsWhatTheProductAndTopKFind) {
  test::on_every_isa([] {
    for (const std::int64_t rows : {1, 2, 4, 7, 130}) {
      for (const std::int64_t tokens : {9, 64, 65, 2048, 2049, 5000}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << tokens << " tokens");
        expect_the_same(Problem(rows, tokens, 20));
      }
    }
  });
}

TEST(CpuInt8TopK, OrdersEqualLogitsByToken) {
  test::on_every_isa([] {
    Problem problem(6, 6000, 8);
    for (std::int64_t token = 0; token < 6000; ++token) {
      for (std::int64_t j = 0; j < 8; ++j) {
        problem.stored.at(token, j) = static_cast<float>((token * 7 % 5 + j) % 3) - 1.0F;
      }
    }
    problem.round();
    expect_the_same(problem);
  });
}

TEST(CpuInt8TopK, HeedsBansAndGivenTokens) {
  for (const bool first : {false, true}) {
    Problem problem(8, 4500, 16);
    const Found best = problem.find(false, test::one_thread());
    problem.ban({best.tokens[0], best.tokens[1], best.tokens[9], 4499});
    problem.bans_first = first;
    expect_the_same(problem);
    problem.only = {-1, 3, 4499, -1, 2048, -1, 0, 2047};
    expect_the_same(problem);
  }
}

TEST(CpuInt8TopK, HasFewerCandidatesThanPlacesWhereTheVocabularyIsSmall) {
  Problem problem(1, 3, 4);
  expect_the_same(problem);
  problem.ban({0, 1, 2});
  expect_the_same(problem);
  EXPECT_EQ(problem.find(true, test::one_thread()).tokens[0], -1);
}

TEST(CpuInt8TopK, SaysWhereStatesAreNoNumbers) {
  Problem problem(3, 3000, 16);
  problem.x.at(1, 2) = NAN;
  const Found found = problem.find(true, test::one_thread());
  EXPECT_TRUE(std::isfinite(found.log_sums[0]));
  EXPECT_TRUE(std::isnan(found.log_sums[1]));
  EXPECT_TRUE(std::isfinite(found.log_sums[2]));
}

TEST(CpuInt8TopK, GivesARowTheSameBitsInAnyBatch) {
  Problem all(12, 5000, 32);
  const Found together = all.find(true, test::one_thread());
  for (const std::int64_t row : {0, 5, 11}) {
    Problem alone(12, 5000, 32);
    Matrix x(1, 32);
    for (std::int64_t j = 0; j < 32; ++j) {
      x.at(0, j) = alone.x.at(row, j);
    }
    alone.x = x;
    alone.groups = {0, 1};
    alone.row_scores.resize(1);
    EXPECT_EQ(alone.find(true, test::one_thread()).log_sums[0],
              together.log_sums[static_cast<std::size_t>(row)]);
  }
}

}  // namespace
}  // namespace yona
