// Gradient of bias and activation against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Problem {
  Problem(std::int64_t rows, std::int64_t cols, Activation which, bool has_bias)
      : y(Matrix::random(rows, cols, 1, 3)),
        dy(Matrix::random(rows, cols, 2, 1)),
        bias_gradient(Matrix::random(1, cols, 3)),
        activation(which),
        bias(has_bias) {}
  BiasActivationBackwardArgs args() {
    return {.y = y.view(),
            .dy = dy.view(),
            .bias_gradient = bias ? bias_gradient.view() : View{},
            .activation = activation,
            .scale = 1.25F};
  }
  std::vector<Matrix*> outputs() { return {&dy, &bias_gradient}; }

  Matrix y, dy, bias_gradient;
  Activation activation;
  bool bias;
};

TEST(CpuBiasActivationBackward, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 5, 300}) {
        for (const Activation activation : {Activation::none, Activation::relu}) {
          for (const bool bias : {false, true}) {
            SCOPED_TRACE(testing::Message() << rows << "×" << cols);
            test::expect_like_reference(Problem(rows, cols, activation, bias),
                                        &Kernels::bias_activation_backward, test::kToleranceF32, 5);
          }
        }
      }
    }
  });
}

TEST(CpuBiasActivationBackward, IsZeroWhereTheActivationIsZeroOrNaN) {
  test::on_every_isa([] {
    Problem problem(1, 20, Activation::relu, true);
    problem.y.fill(0);
    problem.y.at(0, 3) = NAN;
    problem.dy.fill(INFINITY);
    test::expect_like_reference(problem, &Kernels::bias_activation_backward, 0);
    cpu_kernels().bias_activation_backward(problem.args(), test::one_thread());
    EXPECT_EQ(problem.dy.at(0, 0), 0.0F);
    EXPECT_EQ(problem.dy.at(0, 3), 0.0F);
  });
}

TEST(CpuBiasActivationBackward, OfDoublesIsTheReferences) {
  std::vector<double> y = {1, 0};
  std::vector<double> dy = {3, 4};
  cpu_kernels().bias_activation_backward({.y = {y.data(), 1, 2, 2, DType::f64},
                                          .dy = {dy.data(), 1, 2, 2, DType::f64},
                                          .activation = Activation::relu},
                                         test::one_thread());
  EXPECT_EQ(dy, (std::vector<double>{3, 0}));
}

}  // namespace
}  // namespace yona
