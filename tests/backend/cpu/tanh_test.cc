// The hyperbolic tangent and the logistic function, and their gradients, against the reference.

#include "tests/backend/cpu/map_problem.h"

namespace yona {
namespace {

using test::Matrix;

TEST(CpuTanh, AndSigmoidAreTheReferences) {
  test::expect_maps_like_reference({{&Kernels::tanh, &Kernels::tanh_backward, 1e-6, 1.0},
                                    {&Kernels::sigmoid, &Kernels::sigmoid_backward, 1e-6, 1.0}});
}

// Relative to the value itself, which is small near zero.
TEST(CpuTanh, IsAccurateNearZeroAndAtTheSeam) {
  test::on_every_isa([] {
    test::MapForward problem{Matrix(1, 64), Matrix(1, 64)};
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
    test::MapForward problem{Matrix(1, 3), Matrix(1, 3)};
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
