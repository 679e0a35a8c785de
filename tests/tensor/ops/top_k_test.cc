// The best continuations, against a plain sort of log-softmax.

#include "yona/tensor/ops/top_k.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "yona/tensor/ops/softmax.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

constexpr float kInfiniteScore = std::numeric_limits<float>::infinity();

struct Found {
  float score;
  std::int32_t row, token;
};

// A step on one backend; tensors are made from plain vectors.
struct TopKRun {
  explicit TopKRun(std::string_view backend)
      : region(shared_backend(backend), std::int64_t{1} << 26U) {
    soil(region, 1 << 20);
  }

  template <class T>
  Tensor uploaded(const std::vector<T>& values) {
    Tensor tensor(region, dtype_of<T>(), Shape{static_cast<std::int64_t>(values.size())});
    tensor.upload(values);
    return tensor;
  }

  std::vector<Found> run(const std::vector<double>& logits, std::int64_t rows,
                         const TopKOptions& options) {
    const Tensor x = tensor_of(logits, {rows, static_cast<std::int64_t>(logits.size()) / rows},
                               DType::f32, region);
    const TopK best = top_k(x, options, c);
    sums = best.log_sums.to_vector<float>();
    left = x.to_vector<float>();
    const auto scores = best.scores.to_vector<float>();
    const auto row = best.rows.to_vector<std::int32_t>();
    const auto token = best.tokens.to_vector<std::int32_t>();
    std::vector<Found> found;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      found.push_back({scores[i], row[i], token[i]});
    }
    return found;
  }

  TopKOptions options(const std::vector<float>& row_scores, const std::vector<std::int64_t>& groups,
                      std::int64_t k) {
    TopKOptions result;
    result.k = k;
    result.row_scores = uploaded(row_scores);
    result.groups = uploaded(groups);
    return result;
  }

  Region region;
  Context c{.region = region};
  std::vector<float> sums, left;
};

class TopKTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string_view(GetParam()) == "cuda" && !has_cuda()) {
      GTEST_SKIP() << "no GPU";
    }
  }
};

TEST_P(TopKTest, FindsTheBestOfASentencesBeams) {
  constexpr std::int64_t kRows = 5;
  constexpr std::int64_t kVocabulary = 1003;  // not a multiple of any vector
  TopKRun run(GetParam());
  const std::vector<double> logits = random_values(kRows * kVocabulary, 7, -5, 5);
  const std::vector<float> row_scores{-1, -1.25F, -9, 0, -0.5F};
  const std::vector<std::int64_t> groups{0, 3, 3, 5};
  const std::vector<Found> found = run.run(logits, kRows, run.options(row_scores, groups, 8));
  ASSERT_EQ(found.size(), 24U);

  const std::vector<float> expected =
      log_softmax(tensor_of(logits, {kRows, kVocabulary}, DType::f32, run.region), run.c)
          .to_vector<float>();
  for (std::size_t s = 0; s < 3; ++s) {
    std::vector<Found> all;
    for (std::int64_t row = groups[s]; row < groups[s + 1]; ++row) {
      for (std::int64_t token = 0; token < kVocabulary; ++token) {
        all.push_back({expected[static_cast<std::size_t>(row * kVocabulary + token)] +
                           row_scores[static_cast<std::size_t>(row)],
                       static_cast<std::int32_t>(row), static_cast<std::int32_t>(token)});
      }
    }
    std::sort(all.begin(), all.end(),
              [](const Found& a, const Found& b) { return a.score > b.score; });
    for (std::size_t i = 0; i < 8; ++i) {
      const Found& result = found[s * 8 + i];
      if (all.empty()) {
        EXPECT_EQ(result.token, -1);
        EXPECT_EQ(result.score, -kInfiniteScore);
      } else {
        EXPECT_NEAR(result.score, all[i].score, 1e-5);
        EXPECT_EQ(result.row, all[i].row);
        EXPECT_EQ(result.token, all[i].token);
      }
    }
  }
}

// Every backend finds what the reference finds: large rows, with many equal logits or few, many
// bans or few, and rows that are no beams.
TEST_P(TopKTest, FindsWhatTheReferenceFinds) {
  constexpr std::int64_t kRows = 6;
  constexpr std::int64_t kVocabulary = 5003;
  for (const double levels : {3.0, 40.0, 1e6}) {
    for (const std::int64_t bans : {0, 1, 3, 40}) {
      for (const std::int64_t k : {1, 8, 64, 70}) {
        SCOPED_TRACE(::testing::Message() << levels << " levels, " << bans << " bans, k " << k);
        std::vector<double> logits = random_values(kRows * kVocabulary, 3, -1, 1);
        for (double& logit : logits) {
          logit = std::round(logit * levels) / levels * 8.0;
        }
        std::vector<std::int64_t> ban_offsets{0};
        std::vector<std::int32_t> banned;
        for (std::int64_t row = 0; row < kRows; ++row) {
          for (std::int64_t i = 0; i < bans; ++i) {
            banned.push_back(static_cast<std::int32_t>((i * 1237 + row) % kVocabulary));
            logits[static_cast<std::size_t>(row * kVocabulary + banned.back())] = 9.0;
          }
          ban_offsets.push_back(static_cast<std::int64_t>(banned.size()));
        }
        const auto found_by = [&](const char* backend) {
          TopKRun run(backend);
          TopKOptions options =
              run.options({0, -kInfiniteScore, -0.5F, -1, -kInfiniteScore, -2}, {0, 4, 4, 6}, k);
          if (bans > 0) {
            options.ban_offsets = run.uploaded(ban_offsets);
            options.bans = run.uploaded(banned);
          }
          return run.run(logits, kRows, options);
        };
        const std::vector<Found> expected = found_by("reference");
        const std::vector<Found> found = found_by(GetParam());
        for (std::size_t i = 0; i < expected.size(); ++i) {
          ASSERT_EQ(found[i].token, expected[i].token) << "place " << i;
          ASSERT_EQ(found[i].row, expected[i].row) << "place " << i;
          if (expected[i].token >= 0) {
            ASSERT_NEAR(found[i].score, expected[i].score, 1e-5);
          }
        }
      }
    }
  }
}

TEST_P(TopKTest, OrdersEqualScoresByRowAndToken) {
  TopKRun run(GetParam());
  const std::vector<Found> found =
      run.run(std::vector<double>(2 * 40, 0.0), 2, run.options({0, 0}, {0, 2}, 50));
  for (std::int32_t i = 0; i < 50; ++i) {
    EXPECT_EQ(found[static_cast<std::size_t>(i)].row, i / 40);
    EXPECT_EQ(found[static_cast<std::size_t>(i)].token, i % 40);
  }
}

TEST_P(TopKTest, GivesAllThereAreWhenMoreAreAskedFor) {
  TopKRun run(GetParam());
  const std::vector<Found> found = run.run({1, 2, 3}, 1, run.options({0}, {0, 1}, 5));
  EXPECT_EQ(found[0].token, 2);
  EXPECT_EQ(found[1].token, 1);
  EXPECT_EQ(found[2].token, 0);
  EXPECT_EQ(found[3].token, -1);
  EXPECT_EQ(found[4].score, -kInfiniteScore);
}

TEST_P(TopKTest, BansTokensAfterOrBeforeTheSoftmax) {
  for (const bool first : {false, true}) {
    TopKRun run(GetParam());
    TopKOptions options = run.options({0, 0}, {0, 1, 2}, 2);
    options.ban_offsets = run.uploaded(std::vector<std::int64_t>{0, 2, 2});
    options.bans = run.uploaded(std::vector<std::int32_t>{2, 0});
    options.bans_first = first;
    const std::vector<Found> found = run.run({0, 0, 0, 0, 0, 0}, 2, options);
    EXPECT_EQ(found[0].token, 1);
    EXPECT_NEAR(found[0].score, first ? 0.0 : -std::log(3.0), 1e-6);
    EXPECT_EQ(found[1].token, -1);
    EXPECT_EQ(found[2].token, 0);  // the other row has no bans
    EXPECT_EQ(run.left[0], -kInfiniteScore);
    EXPECT_EQ(run.left[2], -kInfiniteScore);
    EXPECT_EQ(run.left[1], 0.0F);
  }
}

TEST_P(TopKTest, LeavesOneTokenWhereOneIsGiven) {
  TopKRun run(GetParam());
  TopKOptions options = run.options({-2, 0}, {0, 1, 2}, 2);
  options.only = run.uploaded(std::vector<std::int32_t>{1, -1});
  options.ban_offsets = run.uploaded(std::vector<std::int64_t>{0, 1, 1});
  options.bans = run.uploaded(std::vector<std::int32_t>{1});  // given beats banned
  const std::vector<Found> found = run.run({0, 0, 3, 9, 0, 0}, 2, options);
  EXPECT_EQ(found[0].token, 1);
  EXPECT_NEAR(found[0].score, -2 - std::log(2 + std::exp(3.0)), 1e-5);
  EXPECT_EQ(found[1].token, -1);
  EXPECT_EQ(found[2].token, 0);
}

TEST_P(TopKTest, TakesLogProbabilitiesAsTheyAre) {
  TopKRun run(GetParam());
  TopKOptions options = run.options({-1}, {0, 1}, 1);
  options.normalised = true;
  const std::vector<Found> found = run.run({-3, -2, -7}, 1, options);
  EXPECT_EQ(found[0].token, 1);
  EXPECT_EQ(found[0].score, -3.0F);
  EXPECT_EQ(run.sums[0], 0.0F);
}

TEST_P(TopKTest, MarksRowsThatAreNotNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    for (const std::size_t place : {0U, 17U, 39U}) {
      TopKRun run(GetParam());
      std::vector<double> logits(80, 0.5);
      logits[40 + place] = bad;
      run.run(logits, 2, run.options({0, 0}, {0, 1, 2}, 2));
      EXPECT_FALSE(std::isnan(run.sums[0]));
      EXPECT_TRUE(std::isnan(run.sums[1])) << bad << " at " << place;
    }
  }
  TopKRun run(GetParam());
  const std::vector<Found> found =
      run.run(std::vector<double>(20, -kInfiniteScore), 1, run.options({0}, {0, 1}, 2));
  EXPECT_EQ(run.sums[0], -kInfiniteScore);
  EXPECT_EQ(found[0].token, -1);
}

INSTANTIATE_TEST_SUITE_P(Backends, TopKTest, ::testing::Values("reference", "cpu", "cuda"));

TEST(TopK, RefusesWhatDoesNotFit) {
  TopKRun run("reference");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              run.run({1, 2}, 1, run.options({0, 0}, {0, 1}, 1));
            }),
            "top_k: the best 1 with 2 row scores do not fit logits [1, 2]");
  TopKOptions options = run.options({0}, {0, 1}, 1);
  options.ban_offsets = run.uploaded(std::vector<std::int64_t>{0});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              run.run({1, 2}, 1, options);
            }),
            "top_k: 1 ban offsets do not fit logits [1, 2]");
  options = run.options({0}, {0, 1}, 1);
  options.only = run.uploaded(std::vector<std::int32_t>{0, 0});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              run.run({1, 2}, 1, options);
            }),
            "top_k: 2 tokens do not fit logits [1, 2]");
}

}  // namespace
}  // namespace yona::testing
