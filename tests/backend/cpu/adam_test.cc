// Adam and the squared norm against the reference; and that a bad norm changes nothing.

#include <limits>

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Problem {
  Problem(std::int64_t n, bool has_average)
      : weights(Matrix::random(1, n, 1)),
        gradients(Matrix::random(1, n, 2)),
        m(Matrix::random(1, n, 3)),
        v(Matrix::random(1, n, 4)),
        average(Matrix::random(1, n, 5)),
        averages(has_average) {
    for (std::int64_t j = 0; j < n; ++j) {
      v.at(0, j) = std::abs(v.at(0, j));
    }
  }
  AdamArgs args() {
    return {.weights = weights.view(),
            .gradients = gradients.view(),
            .m = m.view(),
            .v = v.view(),
            .average = averages ? average.view() : View{},
            .squared_norm = &squared_norm,
            .clip_norm = clip_norm,
            .rate = 0.01F,
            .decay = 0.1F,
            .ema = 0.9F,
            .correction1 = 0.5F,
            .correction2 = 0.25F};
  }
  std::vector<Matrix*> outputs() { return {&weights, &gradients, &m, &v, &average}; }

  Matrix weights, gradients, m, v, average;
  double squared_norm = 100.0;
  float clip_norm = 1.0F;
  bool averages;
};

TEST(CpuAdam, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t n : {0, 1, 15, 16, 17, 100, 65536, 65537, 200003}) {
      SCOPED_TRACE(testing::Message() << n << " weights");
      test::expect_like_reference(Problem(n, true), &Kernels::adam);
      test::expect_like_reference(Problem(n, false), &Kernels::adam);
    }
  });
}

TEST(CpuAdam, WithoutClippingTakesTheGradientAsItIs) {
  test::on_every_isa([] {
    Problem problem(50, true);
    problem.clip_norm = 0;
    test::expect_like_reference(problem, &Kernels::adam);
    problem.clip_norm = 1000;  // above the norm
    test::expect_like_reference(problem, &Kernels::adam);
  });
}

TEST(CpuAdam, WritesTheWeightsInBf16Too) {
  test::on_every_isa([] {
    for (const std::int64_t n : {1, 17, 65537}) {
      Problem problem(n, true);
      std::vector<std::uint16_t> rounded(static_cast<std::size_t>(n) + 1, 0x1234);
      AdamArgs args = problem.args();
      args.rounded = {rounded.data(), 1, n, n, DType::bf16};
      cpu_kernels().adam(args, test::two_threads());
      for (std::int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(rounded[static_cast<std::size_t>(i)], to_bf16(problem.weights.at(0, i))) << i;
      }
      EXPECT_EQ(rounded.back(), 0x1234);
    }
  });
}

TEST(CpuAdam, ChangesNothingWhenTheNormIsNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Problem problem(50, true);
    problem.squared_norm = bad;
    Problem before = problem;
    cpu_kernels().adam(problem.args(), test::one_thread());
    for (std::size_t k = 0; k < problem.outputs().size(); ++k) {
      EXPECT_TRUE(*problem.outputs()[k] == *before.outputs()[k]);
    }
  }
}

double squared_norm(Matrix& x, Exec& exec) {
  double out = -1;
  cpu_kernels().squared_norm({x.view(), &out}, exec);
  return out;
}

TEST(CpuSquaredNorm, IsTheReferencesToTheLastDigits) {
  test::on_every_isa([] {
    for (const auto& [rows, cols, padding] :
         std::vector<std::array<std::int64_t, 3>>{{1, 0, 0},
                                                  {0, 5, 0},
                                                  {1, 1, 0},
                                                  {1, 17, 0},
                                                  {3, 100, 0},
                                                  {3, 100, 7},
                                                  {1, 200003, 0},
                                                  {2, 70001, 1}}) {
      SCOPED_TRACE(testing::Message() << rows << "×" << cols);
      Matrix x = Matrix::random(rows, cols, 1, padding);
      double expected = 0;
      reference_kernels().squared_norm({x.view(), &expected}, test::one_thread());
      const double got = squared_norm(x, test::one_thread());
      EXPECT_NEAR(got, expected, 1e-12 * expected);
      EXPECT_EQ(got, squared_norm(x, test::two_threads()));
    }
  });
}

TEST(CpuSquaredNorm, CarriesNaNAndInfinityThrough) {
  test::on_every_isa([] {
    Matrix x = Matrix::random(1, 100, 1);
    x.at(0, 99) = INFINITY;
    EXPECT_TRUE(std::isinf(squared_norm(x, test::one_thread())));
    x.at(0, 5) = NAN;
    EXPECT_TRUE(std::isnan(squared_norm(x, test::one_thread())));
  });
}

TEST(CpuAdam, OfDoublesIsTheReferences) {
  double w = 1;
  double g = 1;
  double m = 0;
  double v = 0;
  double norm = 1;
  const auto view = [](double& value) { return View{&value, 1, 1, 1, DType::f64}; };
  cpu_kernels().squared_norm({view(g), &norm}, test::one_thread());
  cpu_kernels().adam({.weights = view(w),
                      .gradients = view(g),
                      .m = view(m),
                      .v = view(v),
                      .squared_norm = &norm,
                      .rate = 0.5F,
                      .correction1 = 0.1F,
                      .correction2 = 0.02F},
                     test::one_thread());
  EXPECT_NEAR(w, 0.5, 1e-6);
}

}  // namespace
}  // namespace yona
