// Attention on the CPU: forward and backward like the reference, whatever the lengths, masks, head
// sizes and layout; the same bits on any number of threads; memory linear in the tokens.

#include <cstdint>
#include <limits>
#include <numeric>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "tests/backend/cpu/attention_problem.h"
#include "tests/harness/sanitized.h"

namespace yona::test {
namespace {

void expect_attention_like_reference(const AttentionShape& shape,
                                     double tolerance = kToleranceF32) {
  const AttentionProblem forward(shape);
  const AttentionBackwardProblem backward(shape);
  on_every_isa([&] {
    expect_like_reference(forward, &Kernels::attention, tolerance);
    expect_like_reference(backward, &Kernels::attention_backward, tolerance);
  });
}

constexpr Mask kMasks[] = {Mask::none, Mask::causal, Mask::prefix};

TEST(CpuAttention, MatchesTheReferenceForEveryMaskAndHeadSize) {
  for (const Mask mask : kMasks) {
    for (const std::int64_t d : {1, 3, 16, 32, 33, 64, 128, 512}) {
      SCOPED_TRACE(testing::Message() << "mask " << static_cast<int>(mask) << ", d " << d);
      expect_attention_like_reference({.queries = {5, 17, 40},
                                       .keys = {9, 16, 33},
                                       .d_k = d,
                                       .d_v = d,
                                       .mask = mask,
                                       .prefix = {2, 0, 20}});
    }
  }
}

TEST(CpuAttention, TakesValuesOfAnotherSizeThanKeys) {
  for (const auto& [d_k, d_v] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {16, 32}, {33, 64}, {64, 3}, {128, 16}, {1, 48}, {80, 7}}) {
    SCOPED_TRACE(testing::Message() << "d_k " << d_k << ", d_v " << d_v);
    expect_attention_like_reference(
        {.queries = {20, 7}, .keys = {13, 21}, .heads = 3, .d_k = d_k, .d_v = d_v});
  }
}

// Fewer heads than a unit of work has, as many, and more; gradients added to and not.
TEST(CpuAttention, LetsHeadsShareKeysAndValues) {
  for (const auto& [heads, shared] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {4, 2}, {6, 3}, {8, 8}, {20, 10}, {12, 12}, {9, 3}}) {
    for (const Mask mask : kMasks) {
      SCOPED_TRACE(testing::Message()
                   << shared << " of " << heads << ", mask " << static_cast<int>(mask));
      AttentionShape shape = {.queries = {70, 5, 0, 3},
                              .keys = {90, 5, 4, 0},
                              .heads = heads,
                              .d_k = 8,
                              .d_v = 12,
                              .heads_per_kv = shared,
                              .mask = mask,
                              .prefix = {30, 2, 0, 0},
                              .reach = 9,
                              .dropout = 0.2};
      expect_attention_like_reference(shape);
      shape.accumulate_dk = shape.accumulate_dv = true;
      expect_attention_like_reference(shape);
    }
  }
}

TEST(CpuAttention, TakesSentencesOfEveryLengthUpToSeventy) {
  Lengths queries(70);
  std::iota(queries.begin(), queries.end(), 1);
  const Lengths keys(queries.rbegin(), queries.rend());
  for (const Mask mask : kMasks) {
    SCOPED_TRACE(testing::Message() << "mask " << static_cast<int>(mask));
    const AttentionShape self = {.queries = queries,
                                 .keys = queries,
                                 .heads = 1,
                                 .mask = mask,
                                 .prefix = Lengths(70, 4),
                                 .dropout = 0.2};
    AttentionShape cross = self;
    cross.keys = keys;
    expect_attention_like_reference(self);
    expect_attention_like_reference(cross);
  }
}

TEST(CpuAttention, TakesSentencesOfManyTiles) {
  for (const Mask mask : kMasks) {
    SCOPED_TRACE(testing::Message() << "mask " << static_cast<int>(mask));
    expect_attention_like_reference({.queries = {300, 130, 64},
                                     .keys = {317, 65, 400},
                                     .mask = mask,
                                     .prefix = {100, 65, 0},
                                     .reach = 150,
                                     .dropout = 0.1});
  }
}

TEST(CpuAttention, TakesNoSentences) {
  expect_attention_like_reference({.queries = {}, .keys = {}});
}

TEST(CpuAttention, TakesSentencesWithoutQueriesOrKeys) {
  for (const Mask mask : kMasks) {
    const AttentionShape shape = {.queries = {0, 3, 0, 5, 1},
                                  .keys = {4, 0, 0, 5, 1},
                                  .mask = mask,
                                  .prefix = {2, 0, 0, 0, 9},
                                  .reach = 2,
                                  .dropout = 0.5};
    expect_attention_like_reference(shape);
    AttentionProblem problem(shape);
    cpu_kernels().attention(problem.args(), two_threads());
    EXPECT_EQ(problem.lse.at(0, 0), -std::numeric_limits<float>::infinity());
    EXPECT_EQ(problem.out.at(0, 0), 0.0F);
  }
}

TEST(CpuAttention, GivesZeroForQueriesThatSeeNoKey) {
  const AttentionShape shape = {.queries = {90}, .keys = {8}, .mask = Mask::causal};
  expect_attention_like_reference(shape);
  AttentionProblem problem(shape);
  cpu_kernels().attention(problem.args(), one_thread());
  for (const std::int64_t query : {0, 40, 81}) {
    EXPECT_EQ(problem.lse.at(query, 1), -std::numeric_limits<float>::infinity());
    EXPECT_EQ(problem.out.at(query, 20), 0.0F);
  }
  EXPECT_GT(problem.lse.at(82, 1), -10.0F);
}

TEST(CpuAttention, AddsABiasByDistanceAndGivesItsGradient) {
  for (const std::int64_t reach : {0, 1, 5, 38, 39, 500}) {
    for (const Mask mask : kMasks) {
      SCOPED_TRACE(testing::Message() << "reach " << reach << ", mask " << static_cast<int>(mask));
      expect_attention_like_reference({.queries = {40, 1, 19},
                                       .keys = {40, 30, 3},
                                       .heads = 3,
                                       .mask = mask,
                                       .prefix = {3, 3, 3},
                                       .reach = reach});
    }
  }
}

TEST(CpuAttention, DropsTheWeightsThatTheReferenceDrops) {
  for (const std::int64_t heads : {1, 4, 8, 9, 20}) {
    for (const double p : {0.00002, 0.3, 0.9, 0.99998}) {
      SCOPED_TRACE(testing::Message() << heads << " heads, p " << p);
      expect_attention_like_reference(
          {.queries = {33, 5}, .keys = {40, 3}, .heads = heads, .dropout = p},
          p > 0.9 ? 1e-3 : kToleranceF32);  // what stays is scaled by up to 65,536
    }
  }
}

TEST(CpuAttention, AddsToTheGradientsThatAskForIt) {
  for (unsigned which = 0; which < 8; ++which) {
    expect_attention_like_reference({.queries = {20, 0, 90},
                                     .keys = {15, 4, 100},
                                     .d_k = 20,
                                     .mask = Mask::causal,
                                     .padding = 3,
                                     .accumulate_dq = (which & 1U) != 0,
                                     .accumulate_dk = (which & 2U) != 0,
                                     .accumulate_dv = (which & 4U) != 0});
  }
}

TEST(CpuAttention, WritesOnlyItsColumnsOfSharedRows) {
  expect_attention_like_reference({.queries = {30, 31}, .keys = {31, 30}, .padding = 96});
  expect_attention_like_reference(
      {.queries = {30, 31}, .keys = {31, 30}, .d_k = 7, .d_v = 9, .padding = 1});
}

// q, k and v, and their gradients, are columns of one matrix, as after one product for all three.
struct PackedProblem : AttentionBackwardProblem {
  explicit PackedProblem(const AttentionShape& s)
      : AttentionBackwardProblem(s),
        qkv(Matrix::random(q.rows(), 3 * q.cols(), 12)),
        gradient(q.rows(), 3 * q.cols()) {
    reference_kernels().attention(args().forward, one_thread());
  }
  AttentionBackwardArgs args() {
    AttentionBackwardArgs args = AttentionBackwardProblem::args();
    args.forward.q = columns(qkv, 0);
    args.forward.k = columns(qkv, 1);
    args.forward.v = columns(qkv, 2);
    args.dq = columns(gradient, 0);
    args.dk = columns(gradient, 1);
    args.dv = columns(gradient, 2);
    return args;
  }
  std::vector<Matrix*> outputs() { return {&gradient}; }
  View columns(Matrix& matrix, std::int64_t third) const {
    View view = matrix.view();
    view.cols = q.cols();
    view.data = view.row<float>(0) + third * q.cols();
    return view;
  }
  Matrix qkv, gradient;
};

TEST(CpuAttention, TakesQueriesKeysAndValuesFromOneMatrix) {
  for (const std::int64_t d : {12, 32}) {
    const Lengths lengths = {30, 70, 1};
    const PackedProblem problem(
        {.queries = lengths, .keys = lengths, .heads = 4, .d_k = d, .d_v = d, .dropout = 0.3});
    on_every_isa([&] { expect_like_reference(problem, &Kernels::attention_backward); });
  }
}

// One tensor as q, k and v: its gradient is all three, added up.
struct SharedProblem : AttentionBackwardProblem {
  using AttentionBackwardProblem::AttentionBackwardProblem;
  AttentionBackwardArgs args() {
    AttentionBackwardArgs args = AttentionBackwardProblem::args();
    args.forward.k = args.forward.v = args.forward.q;
    args.dk = args.dv = args.dq;
    args.accumulate_dk = args.accumulate_dv = true;
    reference_kernels().attention(args.forward, one_thread());
    return args;
  }
  std::vector<Matrix*> outputs() { return {&dq}; }
};

TEST(CpuAttention, TakesOneTensorAsQueriesKeysAndValues) {
  const SharedProblem problem({.queries = {30, 100}, .keys = {30, 100}, .mask = Mask::causal});
  on_every_isa([&] { expect_like_reference(problem, &Kernels::attention_backward); });
}

TEST(CpuAttention, StaysFiniteForLogitsOfTenThousand) {
  const AttentionShape shape = {.queries = {70}, .keys = {70}, .d_k = 4, .magnitude = 100.0};
  const AttentionProblem forward(shape);
  on_every_isa([&] {
    // f32 scores of 1e4 are known to 1e-3, and so are the weights; gradients of q and k are
    // differences of such weights, times a hundred.
    expect_like_reference(forward, &Kernels::attention, 1e-2);
    AttentionBackwardProblem backward(shape);
    cpu_kernels().attention_backward(backward.args(), two_threads());
    for (const Matrix* gradient : backward.outputs()) {
      for (std::int64_t row = 0; row < gradient->rows(); ++row) {
        for (std::int64_t column = 0; column < gradient->cols(); ++column) {
          ASSERT_TRUE(std::isfinite(gradient->at(row, column)));
        }
      }
    }
  });
}

TEST(CpuAttention, CarriesNaNThrough) {
  on_every_isa([&] {
    AttentionProblem problem({.queries = {20}, .keys = {20}});
    problem.q.at(3, 5) = std::numeric_limits<float>::quiet_NaN();
    cpu_kernels().attention(problem.args(), one_thread());
    EXPECT_TRUE(std::isnan(problem.out.at(3, 0)));
    EXPECT_TRUE(std::isnan(problem.lse.at(3, 0)));
    EXPECT_FALSE(std::isnan(problem.out.at(2, 0)));
    EXPECT_FALSE(std::isnan(problem.out.at(3, 16)));  // the other head
  });
}

TEST(CpuAttention, LeavesDoublesToTheReference) {
  std::vector<double> q = {1, 2}, v = {3, 4}, out(2), lse(1);
  const auto view = [](std::vector<double>& data) {
    const auto cols = static_cast<std::int64_t>(data.size());
    return View{data.data(), 1, cols, cols, DType::f64};
  };
  const Lengths offsets = {0, 1};
  cpu_kernels().attention({.q = view(q),
                           .k = view(q),
                           .v = view(v),
                           .out = view(out),
                           .lse = view(lse),
                           .q_offsets = offsets.data(),
                           .k_offsets = offsets.data(),
                           .sentences = 1,
                           .d_k = 2,
                           .d_v = 2},
                          one_thread());
  EXPECT_EQ(out, v);
  EXPECT_DOUBLE_EQ(lse[0], 5.0);
}

std::int64_t peak_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(CpuAttention, NeedsMemoryLinearInTheTokens) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer's memory cannot be told from the program's";
  }
  constexpr std::int64_t kTokens = 16384;
  AttentionShape shape = {.queries = {3}, .keys = {3}, .heads = 1, .mask = Mask::causal};
  shape.dropout = 0.1;
  AttentionBackwardProblem problem(shape);  // small: the reference runs in it
  shape.queries = shape.keys = {kTokens};
  static_cast<AttentionProblem&>(problem) = AttentionProblem(shape);
  for (Matrix* matrix : {&problem.dout, &problem.dq, &problem.dk, &problem.dv}) {
    *matrix = Matrix::random(kTokens, 16, 1);
  }
  const std::int64_t before = peak_kilobytes();
  cpu_kernels().attention(problem.args().forward, two_threads());
  cpu_kernels().attention_backward(problem.args(), two_threads());
  // One matrix of scores would take 1 GiB; a tile's dropout decisions take 64 bytes a key.
  EXPECT_LT(peak_kilobytes() - before, 16 * 1024);

  // The first sixteen queries see sixteen keys only, and those are like a short sentence's.
  AttentionShape short_shape = shape;
  short_shape.queries = short_shape.keys = {16};
  AttentionProblem start(short_shape);
  start.keys_of_rows = problem.keys_of_rows;
  for (std::int64_t row = 0; row < 16; ++row) {
    for (std::int64_t column = 0; column < 16; ++column) {
      start.q.at(row, column) = problem.q.at(row, column);
      start.k.at(row, column) = problem.k.at(row, column);
      start.v.at(row, column) = problem.v.at(row, column);
    }
  }
  reference_kernels().attention(start.args(), one_thread());
  for (std::int64_t row = 0; row < 16; ++row) {
    EXPECT_NEAR(problem.out.at(row, 3), start.out.at(row, 3), 1e-5F);
  }
}

}  // namespace
}  // namespace yona::test
