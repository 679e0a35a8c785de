// RMS norm and its gradients against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct RmsForward {
  Matrix x, y, weight, statistics;
  RmsNormArgs args() {
    return {.x = x.view(), .y = y.view(), .weight = weight.view(), .statistics = statistics.view()};
  }
  std::vector<Matrix*> outputs() { return {&y, &statistics}; }
};

struct RmsBackward {
  RmsForward forward;
  Matrix dy, dx, dweight;
  bool wants_dx, accumulate, wants_dweight;
  RmsNormBackwardArgs args() {
    return {.forward = forward.args(),
            .dy = dy.view(),
            .dx = wants_dx ? dx.view() : View{},
            .accumulate_dx = accumulate,
            .dweight = wants_dweight ? dweight.view() : View{}};
  }
  std::vector<Matrix*> outputs() { return {&dx, &dweight}; }
};

TEST(CpuRmsNorm, AndItsGradientsAreTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 300}) {
        SCOPED_TRACE(testing::Message() << rows << "×" << cols);
        RmsForward forward{Matrix::random(rows, cols, 1, 3), Matrix(rows, cols, 1),
                           Matrix::random(1, cols, 2), Matrix(rows, 1)};
        for (std::int64_t i = 0; i < rows; ++i) {
          forward.x.at(i, 0) += 1.5F;  // away from a mean square of zero
        }
        test::expect_like_reference(forward, &Kernels::rms_norm);
        reference_kernels().rms_norm(forward.args(), test::one_thread());
        const Matrix dy = Matrix::random(rows, cols, 4);
        const Matrix there = Matrix::random(rows, cols, 5, 2);
        const Matrix weight_there = Matrix::random(1, cols, 6);
        // The gradient of the weight is a sum over the rows.
        const double magnitude = 1.0 + static_cast<double>(rows) / 30;
        for (const bool accumulate : {false, true}) {
          test::expect_like_reference(
              RmsBackward{forward, dy, there, weight_there, true, accumulate, true},
              &Kernels::rms_norm_backward, test::kToleranceF32, magnitude);
        }
        test::expect_like_reference(
            RmsBackward{forward, dy, there, weight_there, true, false, false},
            &Kernels::rms_norm_backward);
        test::expect_like_reference(
            RmsBackward{forward, dy, there, weight_there, false, false, true},
            &Kernels::rms_norm_backward, test::kToleranceF32, magnitude);
      }
    }
  });
}

}  // namespace
}  // namespace yona
