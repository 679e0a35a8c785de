// The best continuations from states, against the product and top_k one after the other: sizes of
// Hopper's kernels and others, which go through these.

#include <cmath>
#include <limits>
#include <set>

#include "yona/tensor/ops/top_k.h"

#include "tests/backend/cuda/both.h"

namespace yona::testing {
namespace {

constexpr float kInfiniteScore = std::numeric_limits<float>::infinity();

struct StepSize {
  std::int64_t rows = 0, vocabulary = 0;
  std::int64_t depth = 512;
  std::int64_t k = 8;
  std::int64_t beams = 1;  // rows of a sentence
  std::int64_t bans = 0;   // of each row
  // Values are multiples of a half: logits are exact in any order of sums, and many are equal.
  bool coarse = false;
};

struct Found {
  std::vector<float> logits, scores, sums;
  std::vector<std::int32_t> tokens, rows;
};

// The end of a decoder's step on the GPU.
struct Step {
  explicit Step(const StepSize& of, Backend& backend = shared_backend("cuda"))
      : size(of), region(backend, std::int64_t{3} << 30U) {
    states = made(size.rows, size.depth, 1);
    table = made(size.vocabulary + size.vocabulary % 2, size.depth, 2);
    wide = c.empty(DType::f32, Shape{size.rows, (size.vocabulary + 8) / 8 * 8});
    std::vector<float> scores;
    std::vector<std::int64_t> groups{0};
    std::vector<std::int64_t> ban_offsets{0};
    std::vector<std::int32_t> bans;
    for (std::int64_t row = 0; row < size.rows; ++row) {
      scores.push_back(row % 7 == 5 ? -kInfiniteScore : -0.37F * static_cast<float>(row % 4));
      for (std::int64_t i = 0; i < size.bans; ++i) {
        bans.push_back(static_cast<std::int32_t>((i * 1237 + row) % size.vocabulary));
      }
      ban_offsets.push_back(static_cast<std::int64_t>(bans.size()));
    }
    for (std::int64_t row = 0; row < size.rows; row += size.beams) {
      groups.push_back(std::min(row + size.beams, size.rows));
    }
    options.k = size.k;
    options.row_scores = uploaded(scores);
    options.groups = uploaded(groups);
    if (size.bans > 0) {
      options.ban_offsets = uploaded(ban_offsets);
      options.bans = uploaded(bans);
    }
  }

  Tensor made(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
    std::vector<double> values = random_values(rows * cols, seed, -1, 1);
    for (double& value : values) {
      value = size.coarse ? std::round(value * 2) / 2 : value * 0.5;
    }
    const Tensor tensor(region, DType::bf16, Shape{rows, cols});
    set_values(tensor, values);
    return tensor;
  }

  template <class T>
  Tensor uploaded(const std::vector<T>& values) {
    Tensor tensor(region, dtype_of<T>(), Shape{static_cast<std::int64_t>(values.size())});
    tensor.upload(values);
    return tensor;
  }

  MatmulArgs product() const {
    return {.a = states.view(),
            .b = table.view(),
            .c = wide.columns(0, table.rows()).view(),
            .transpose_b = true,
            .precision = Precision::bf16};
  }
  TopK together() { return logits_top_k(product(), logits(), options, c); }
  TopK one_after_the_other() {
    c.kernels().matmul(product(), c.exec());
    return top_k(logits(), options, c);
  }
  Tensor logits() const { return wide.columns(0, size.vocabulary); }

  // What a way finds in memory that was full of something else.
  template <class Way>
  Found found(const Way& way) {
    c.kernels().fill({.y = wide.view(), .value = 1e9F}, c.exec());
    const TopK best = way();
    return {logits().to_vector<float>(), best.scores.to_vector<float>(),
            best.log_sums.to_vector<float>(), best.tokens.to_vector<std::int32_t>(),
            best.rows.to_vector<std::int32_t>()};
  }
  Found by_one_kernel() {
    return found([this] { return together(); });
  }
  Found by_two() {
    return found([this] { return one_after_the_other(); });
  }
  bool is_beam(std::int64_t row) const { return row % 7 != 5; }

  StepSize size;
  Region region;
  Context c{.region = region, .precision = Precision::bf16};
  Tensor states, table, wide;
  TopKOptions options;
};

class CudaLogitsTopK : public CudaTest {
 protected:
  static void expect_near_logits(const Found& found, const Found& expected, float tolerance) {
    ASSERT_EQ(found.logits.size(), expected.logits.size());
    for (std::size_t i = 0; i < found.logits.size(); ++i) {
      if (!(std::abs(found.logits[i] - expected.logits[i]) <= tolerance) &&
          found.logits[i] != expected.logits[i]) {
        FAIL() << "logit " << i << " is " << found.logits[i] << ", not " << expected.logits[i];
      }
    }
  }

  static void expect_near_sums(const Step& step, const Found& found, const Found& expected) {
    for (std::int64_t row = 0; row < step.size.rows; ++row) {
      if (step.is_beam(row)) {
        const auto at = static_cast<std::size_t>(row);
        ASSERT_NEAR(found.sums[at], expected.sums[at], 2e-5) << "row " << row;
      }
    }
  }

  // The same logits, and of them the same tokens in the same order.
  static void expect_same(const StepSize& size) {
    SCOPED_TRACE(::testing::Message()
                 << size.rows << " rows, " << size.vocabulary << " tokens, " << size.depth
                 << " deep, k " << size.k << ", " << size.bans << " bans");
    Step step(size);
    const Found expected = step.by_two();
    const Found found = step.by_one_kernel();
    expect_near_logits(found, expected, 0.0F);
    expect_near_sums(step, found, expected);
    EXPECT_EQ(found.tokens, expected.tokens);
    EXPECT_EQ(found.rows, expected.rows);
    for (std::size_t i = 0; i < found.scores.size(); ++i) {
      if (expected.tokens[i] >= 0) {
        ASSERT_NEAR(found.scores[i], expected.scores[i], 2e-5) << "place " << i;
      }
    }
  }

  // Logits that are rounded otherwise may change places where they are next to equal: scores are
  // compared place by place, and every token has the score that stands there.
  static void expect_near(const StepSize& size) {
    SCOPED_TRACE(::testing::Message() << size.rows << " rows, " << size.vocabulary << " tokens, "
                                      << size.depth << " deep, k " << size.k);
    Step step(size);
    const Found expected = step.by_two();
    const Found found = step.by_one_kernel();
    expect_near_logits(found, expected, 1e-4F);
    expect_near_sums(step, found, expected);
    const std::vector<float> row_scores = step.options.row_scores.to_vector<float>();
    std::set<std::pair<std::int32_t, std::int32_t>> seen;
    for (std::size_t i = 0; i < found.scores.size(); ++i) {
      ASSERT_EQ(found.tokens[i] >= 0, expected.tokens[i] >= 0) << "place " << i;
      if (found.tokens[i] >= 0) {
        const auto row = static_cast<std::size_t>(found.rows[i]);
        const auto token = static_cast<std::size_t>(found.tokens[i]);
        const float score = found.logits[row * static_cast<std::size_t>(size.vocabulary) + token] -
                            found.sums[row] + row_scores[row];
        ASSERT_NEAR(found.scores[i], score, 2e-5) << "place " << i;
        ASSERT_NEAR(found.scores[i], expected.scores[i], 2e-4) << "place " << i;
        EXPECT_TRUE(seen.emplace(found.rows[i], found.tokens[i]).second) << "place " << i;
      }
    }
    const Found again = step.by_one_kernel();
    EXPECT_EQ(again.logits, found.logits);
    EXPECT_EQ(again.scores, found.scores);
    EXPECT_EQ(again.tokens, found.tokens);
    EXPECT_EQ(again.rows, found.rows);
  }
};

TEST_F(CudaLogitsTopK, FindsWhatProductAndTopKFind) {
  for (const std::int64_t rows : {1, 4, 31, 128, 129, 256, 2048}) {
    expect_near({.rows = rows, .vocabulary = 1001, .beams = 4});
  }
  for (const std::int64_t rows : {4, 129, 2048}) {
    expect_near({.rows = rows, .vocabulary = 37055, .beams = 4});
  }
  expect_near({.rows = 40, .vocabulary = 1024, .depth = 64, .k = 1});
  expect_near({.rows = 300, .vocabulary = 5000, .depth = 320, .k = 16, .beams = 8});
  expect_near({.rows = 20, .vocabulary = 5000, .depth = 520});  // deeper than the kernel's tiles
}

TEST_F(CudaLogitsTopK, OrdersEqualLogitsByToken) {
  for (const std::int64_t rows : {4, 31, 129, 260}) {
    for (const std::int64_t k : {1, 8, 64, 70}) {
      expect_same({.rows = rows, .vocabulary = 5003, .k = k, .coarse = true});
    }
    expect_same({.rows = rows, .vocabulary = 1001, .depth = 8, .k = 8, .coarse = true});
    expect_same({.rows = rows, .vocabulary = 10, .depth = 16, .k = 14, .coarse = true});
    expect_same({.rows = rows, .vocabulary = 128, .depth = 16, .k = 64, .coarse = true});
  }
  expect_same({.rows = 8, .vocabulary = 131072, .depth = 64, .coarse = true});
  expect_same({.rows = 8, .vocabulary = 131073, .depth = 64, .coarse = true});  // too many slices
}

TEST_F(CudaLogitsTopK, HeedsBansAndGivenTokens) {
  for (const std::int64_t bans : {1, 8, 40}) {
    expect_same({.rows = 130, .vocabulary = 5003, .bans = bans, .coarse = true});
  }
  for (const bool first : {false, true}) {
    Step step({.rows = 12, .vocabulary = 1001, .bans = 3, .coarse = true});
    step.options.bans_first = first;
    std::vector<std::int32_t> only(12, -1);
    only[2] = 3;  // banned there
    only[6] = 1000;
    step.options.only = step.uploaded(only);
    const Found expected = step.by_two();
    const Found found = step.by_one_kernel();
    expect_near_logits(found, expected, 0.0F);
    expect_near_sums(step, found, expected);
    EXPECT_EQ(found.tokens, expected.tokens);
  }
}

TEST_F(CudaLogitsTopK, MarksRowsThatAreNotNumbers) {
  for (const float bad : {std::nanf(""), kInfiniteScore, -kInfiniteScore}) {
    for (const std::int64_t rows : {8, 140}) {
      Step step({.rows = rows, .vocabulary = 1001});
      std::vector<double> values = values_of(step.states);
      values[static_cast<std::size_t>(3 * step.size.depth + 17)] = static_cast<double>(bad);
      set_values(step.states, values);
      const Found expected = step.by_two();
      const Found found = step.by_one_kernel();
      for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        if (step.is_beam(static_cast<std::int64_t>(row))) {
          EXPECT_EQ(std::isnan(found.sums[row]), row == 3) << bad << ", row " << row;
          EXPECT_EQ(std::isnan(expected.sums[row]), row == 3) << bad << ", row " << row;
        }
      }
    }
  }
}

// A graph goes on after scratch memory has moved.
TEST_F(CudaLogitsTopK, IsReplayed) {
  Backend& backend = shared_backend("cuda", 3);  // whose scratch memory is its own
  Step step({.rows = 12, .vocabulary = 1001, .coarse = true}, backend);
  const Found expected = step.by_two();
  const auto replay = backend.make_replay();
  TopK best;  // a graph writes to the results that were there when it was made
  for (int run = 0; run < 7; ++run) {
    if (run == 4) {
      Step({.rows = 300, .vocabulary = 5003}, backend).by_one_kernel();
    }
    step.c.kernels().fill({.y = step.wide.view(), .value = 1e9F}, step.c.exec());
    if (best.tokens) {
      best.tokens.upload(std::vector<std::int32_t>(expected.tokens.size(), -5));
    }
    replay->run([&] { best = step.together(); });
    EXPECT_EQ(best.tokens.to_vector<std::int32_t>(), expected.tokens) << "run " << run;
    EXPECT_EQ(step.logits().to_vector<float>(), expected.logits) << "run " << run;
  }
}

}  // namespace
}  // namespace yona::testing
