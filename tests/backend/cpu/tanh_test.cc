// The hyperbolic tangent and the logistic function, and their gradients, against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct TanhForward {
  Matrix x, y;
  RowsArgs args() { return {x.view(), y.view()}; }
  std::vector<Matrix*> outputs() { return {&y}; }
};

struct TanhBackward {
  Matrix y, dy, dx;
  bool accumulate;
  RowsBackwardArgs args() { return {y.view(), dy.view(), dx.view(), accumulate}; }
  std::vector<Matrix*> outputs() { return {&dx}; }
};

TEST(CpuTanh, AndSigmoidAreTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 100}) {
        SCOPED_TRACE(testing::Message() << rows << "×" << cols);
        const Matrix x = Matrix::random(rows, cols, 1, 3, 6.0);
        const Matrix y = Matrix::random(rows, cols, 3, 3);
        const Matrix dy = Matrix::random(rows, cols, 2);
        test::expect_like_reference(TanhForward{x, Matrix(rows, cols, 1)}, &Kernels::tanh, 1e-6);
        test::expect_like_reference(TanhForward{x, Matrix(rows, cols, 1)}, &Kernels::sigmoid, 1e-6);
        for (const bool accumulate : {false, true}) {
          test::expect_like_reference(TanhBackward{y, dy, dy, accumulate}, &Kernels::tanh_backward);
          test::expect_like_reference(TanhBackward{y, dy, dy, accumulate},
                                      &Kernels::sigmoid_backward);
        }
      }
    }
  });
}

// Relative to the value itself, which is small near zero.
TEST(CpuTanh, IsAccurateNearZeroAndAtTheSeam) {
  test::on_every_isa([] {
    TanhForward problem{Matrix(1, 64), Matrix(1, 64)};
    for (std::int64_t j = 0; j < 64; ++j) {
      problem.x.at(0, j) = static_cast<float>(j < 32 ? std::pow(10.0, -0.5 * static_cast<double>(j))
                                                     : 0.6 + 0.001 * static_cast<double>(j - 32));
    }
    cpu_kernels().tanh(problem.args(), test::one_thread());
    for (std::int64_t j = 0; j < 64; ++j) {
      const double exact = std::tanh(static_cast<double>(problem.x.at(0, j)));
      EXPECT_NEAR(static_cast<double>(problem.y.at(0, j)) / exact, 1.0, 1e-6) << j;
    }
  });
}

TEST(CpuTanh, HasLimitsAndKeepsWhatIsNotANumber) {
  test::on_every_isa([] {
    TanhForward problem{Matrix(1, 3), Matrix(1, 3)};
    problem.x.at(0, 0) = -INFINITY;
    problem.x.at(0, 1) = 300;
    problem.x.at(0, 2) = NAN;
    cpu_kernels().tanh(problem.args(), test::one_thread());
    EXPECT_EQ(problem.y.at(0, 0), -1.0F);
    EXPECT_EQ(problem.y.at(0, 1), 1.0F);
    EXPECT_TRUE(std::isnan(problem.y.at(0, 2)));
    cpu_kernels().sigmoid(problem.args(), test::one_thread());
    EXPECT_NEAR(problem.y.at(0, 0), 0.0F, 1e-37F);
    EXPECT_EQ(problem.y.at(0, 1), 1.0F);
    EXPECT_TRUE(std::isnan(problem.y.at(0, 2)));
  });
}

}  // namespace
}  // namespace yona
