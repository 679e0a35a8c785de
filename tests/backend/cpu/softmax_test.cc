// Softmax, log-softmax and their gradients against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Forward {
  Forward(std::int64_t rows, std::int64_t cols, bool in_place)
      : x(Matrix::random(rows, cols, 1, 3, 6.0)), y(rows, cols, 1), same(in_place) {}
  RowsArgs args() { return {x.view(), same ? x.view() : y.view()}; }
  std::vector<Matrix*> outputs() { return {same ? &x : &y}; }

  Matrix x, y;
  bool same;
};

struct Backward {
  Backward(std::int64_t rows, std::int64_t cols, bool accumulates)
      : saved(Matrix::random(rows, cols, 1, 3)),
        dy(Matrix::random(rows, cols, 2, 1)),
        dx(Matrix::random(rows, cols, 3)),
        accumulate(accumulates) {}
  RowsBackwardArgs args() { return {saved.view(), dy.view(), dx.view(), accumulate}; }
  std::vector<Matrix*> outputs() { return {&dx}; }

  Matrix saved, dy, dx;
  bool accumulate;
};

TEST(CpuSoftmax, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 5, 100}) {
        SCOPED_TRACE(testing::Message() << rows << "×" << cols);
        for (const bool in_place : {false, true}) {
          test::expect_like_reference(Forward(rows, cols, in_place), &Kernels::softmax);
          test::expect_like_reference(Forward(rows, cols, in_place), &Kernels::log_softmax);
        }
      }
    }
  });
}

TEST(CpuSoftmaxBackward, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 5, 100}) {
        SCOPED_TRACE(testing::Message() << rows << "×" << cols);
        const double magnitude = 10;  // of the sums inside
        for (const bool accumulate : {false, true}) {
          test::expect_like_reference(Backward(rows, cols, accumulate), &Kernels::softmax_backward,
                                      test::kToleranceF32, magnitude);
          test::expect_like_reference(Backward(rows, cols, accumulate),
                                      &Kernels::log_softmax_backward, test::kToleranceF32,
                                      magnitude);
        }
      }
    }
  });
}

TEST(CpuSoftmax, OfMinusInfinityThroughoutIsZero) {
  test::on_every_isa([] {
    Forward problem(2, 19, false);
    for (std::int64_t j = 0; j < 19; ++j) {
      problem.x.at(0, j) = -INFINITY;
    }
    problem.x.at(1, 4) = -INFINITY;
    test::expect_like_reference(problem, &Kernels::softmax);
  });
}

TEST(CpuSoftmax, RowsSumToOneForLargeLogits) {
  test::on_every_isa([] {
    Forward problem(1, 1000, false);
    for (std::int64_t j = 0; j < 1000; ++j) {
      problem.x.at(0, j) *= 1e30F;
    }
    cpu_kernels().softmax(problem.args(), test::one_thread());
    double sum = 0;
    for (std::int64_t j = 0; j < 1000; ++j) {
      sum += static_cast<double>(problem.y.at(0, j));
    }
    EXPECT_NEAR(sum, 1.0, 1e-6);
  });
}

TEST(CpuSoftmax, OfDoublesIsTheReferences) {
  std::vector<double> x = {0, 0};
  std::vector<double> y(2);
  const View in{x.data(), 1, 2, 2, DType::f64};
  const View out{y.data(), 1, 2, 2, DType::f64};
  cpu_kernels().softmax({in, out}, test::one_thread());
  EXPECT_DOUBLE_EQ(y[0], 0.5);
  cpu_kernels().log_softmax({in, out}, test::one_thread());
  EXPECT_DOUBLE_EQ(y[0], -std::log(2.0));
  cpu_kernels().softmax_backward({in, in, out, false}, test::one_thread());
  EXPECT_EQ(y[0], 0.0);
  cpu_kernels().log_softmax_backward({in, in, out, false}, test::one_thread());
  EXPECT_EQ(y[0], 0.0);
}

}  // namespace
}  // namespace yona
