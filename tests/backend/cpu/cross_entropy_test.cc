// Cross-entropy with its gradient in place, and R-Drop, against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Problem {
  Problem(std::int64_t rows, std::int64_t cols, float smooth, bool with_gradient,
          std::uint64_t seed = 1)
      : logits(Matrix::random(rows, cols, seed, 3, 5.0)),
        losses(rows, 2, 1),
        targets(static_cast<std::size_t>(rows) + 1),
        scales(static_cast<std::size_t>(rows) + 1, 0.25F),
        smoothing(smooth),
        gradient(with_gradient) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      targets[i] = static_cast<std::int32_t>((i * 7919) % static_cast<std::size_t>(cols));
    }
  }
  CrossEntropyArgs args() {
    return {.logits = logits.view(),
            .targets = targets.data(),
            .row_scale = scales.data(),
            .losses = losses.view(),
            .smoothing = smoothing,
            .gradient = gradient};
  }
  std::vector<Matrix*> outputs() { return {&logits, &losses}; }

  Matrix logits, losses;
  std::vector<std::int32_t> targets;
  std::vector<float> scales;
  float smoothing;
  bool gradient;
};

struct RDropProblem {
  RDropProblem(std::int64_t rows, std::int64_t cols, bool gradient)
      : first(rows, cols, 0.1F, gradient, 1), second(rows, cols, 0.1F, gradient, 2) {}
  RDropArgs args() { return {first.args(), second.args(), 5.0F}; }
  std::vector<Matrix*> outputs() {
    return {&first.logits, &first.losses, &second.logits, &second.losses};
  }
  Problem first, second;
};

const std::vector<std::int64_t> kVocabularies = {1, 2, 15, 16, 17, 63, 64, 65, 100, 1000, 8001};

TEST(CpuCrossEntropy, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : kVocabularies) {
      for (const std::int64_t rows : {0, 1, 9}) {
        for (const float smoothing : {0.0F, 0.1F}) {
          for (const bool gradient : {false, true}) {
            SCOPED_TRACE(testing::Message() << rows << "×" << cols);
            test::expect_like_reference(Problem(rows, cols, smoothing, gradient),
                                        &Kernels::cross_entropy);
          }
        }
      }
    }
  });
}

TEST(CpuCrossEntropy, StaysFiniteForLargeLogits) {
  test::on_every_isa([] {
    Problem problem(2, 50, 0.0F, true);
    problem.logits.at(0, 3) = 1e4F;
    problem.logits.at(1, problem.targets[1]) = -1e4F;
    test::expect_like_reference(problem, &Kernels::cross_entropy);
  });
}

TEST(CpuCrossEntropy, GivesNoProbabilityToMinusInfinity) {
  test::on_every_isa([] {
    Problem problem(1, 50, 0.0F, true);
    problem.logits.at(0, 49) = -INFINITY;
    cpu_kernels().cross_entropy(problem.args(), test::one_thread());
    EXPECT_EQ(problem.logits.at(0, 49), 0.0F);
    EXPECT_TRUE(std::isfinite(problem.losses.at(0, 1)));
  });
}

TEST(CpuCrossEntropy, ShowsANaNInLossAndGradientOfItsRowAlone) {
  test::on_every_isa([] {
    Problem problem(3, 50, 0.1F, true);
    problem.logits.at(1, 20) = NAN;
    cpu_kernels().cross_entropy(problem.args(), test::two_threads());
    EXPECT_TRUE(std::isnan(problem.losses.at(1, 0)));
    EXPECT_TRUE(std::isnan(problem.losses.at(1, 1)));
    EXPECT_TRUE(std::isnan(problem.logits.at(1, 0)));
    EXPECT_TRUE(std::isfinite(problem.losses.at(0, 0)));
    EXPECT_TRUE(std::isfinite(problem.losses.at(2, 0)));
  });
}

TEST(CpuRDrop, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : kVocabularies) {
      for (const std::int64_t rows : {0, 1, 9}) {
        for (const bool gradient : {false, true}) {
          SCOPED_TRACE(testing::Message() << rows << "×" << cols);
          test::expect_like_reference(RDropProblem(rows, cols, gradient), &Kernels::rdrop);
        }
      }
    }
  });
}

TEST(CpuRDrop, OfEqualPassesIsTheCrossEntropy) {
  test::on_every_isa([] {
    Problem plain(4, 100, 0.1F, true);
    RDropProblem problem(4, 100, true);
    problem.second = problem.first;
    cpu_kernels().cross_entropy(plain.args(), test::one_thread());
    cpu_kernels().rdrop(problem.args(), test::one_thread());
    EXPECT_TRUE(test::is_near(problem.first.losses, plain.losses, test::kToleranceF32));
    EXPECT_TRUE(test::is_near(problem.first.logits, plain.logits, test::kToleranceF32));
    EXPECT_TRUE(test::is_near(problem.second.logits, plain.logits, test::kToleranceF32));
  });
}

TEST(CpuCrossEntropy, OfDoublesIsTheReferences) {
  std::vector<double> logits = {0, 0};
  std::vector<double> losses(2);
  const std::int32_t target = 1;
  const CrossEntropyArgs args{.logits = {logits.data(), 1, 2, 2, DType::f64},
                              .targets = &target,
                              .losses = {losses.data(), 1, 2, 2, DType::f64}};
  cpu_kernels().cross_entropy(args, test::one_thread());
  EXPECT_DOUBLE_EQ(losses[1], std::log(2.0));
  cpu_kernels().rdrop({.first = args, .second = args, .alpha = 1.0F}, test::one_thread());
  EXPECT_DOUBLE_EQ(losses[0], std::log(2.0));
}

}  // namespace
}  // namespace yona
