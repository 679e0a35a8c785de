// SiLU and GELU's tanh formula, and their gradients, against the reference.

#include "tests/backend/cpu/map_problem.h"

namespace yona {
namespace {

using test::Matrix;

TEST(CpuSilu, AndGeluTanhAreTheReferences) {
  test::expect_maps_like_reference({{&Kernels::silu, &Kernels::silu_backward},
                                    {&Kernels::gelu_tanh, &Kernels::gelu_tanh_backward}});
}

TEST(CpuSilu, HasSlopesOfZeroAndOneFarOut) {
  test::on_every_isa([] {
    test::MapBackward problem{Matrix(1, 3), Matrix(1, 3), Matrix(1, 3), false};
    problem.x.at(0, 0) = -200;
    problem.x.at(0, 1) = 200;
    problem.x.at(0, 2) = NAN;
    problem.dy.fill(1.0F);
    for (const auto kernel : {&Kernels::silu_backward, &Kernels::gelu_tanh_backward}) {
      (cpu_kernels().*kernel)(problem.args(), test::one_thread());
      EXPECT_NEAR(problem.dx.at(0, 0), 0.0F, 1e-30F);
      EXPECT_EQ(problem.dx.at(0, 1), 1.0F);
      EXPECT_TRUE(std::isnan(problem.dx.at(0, 2)));
    }
  });
}

TEST(CpuSilu, OfDoublesIsTheReferences) {
  double x = 0;
  double dy = 3;
  double out = 1;
  const auto view = [](double& value) { return View{&value, 1, 1, 1, DType::f64}; };
  cpu_kernels().silu_backward({view(x), view(dy), view(out), false}, test::one_thread());
  EXPECT_DOUBLE_EQ(out, 1.5);
  cpu_kernels().gelu_tanh_backward({view(x), view(dy), view(out), false}, test::one_thread());
  EXPECT_DOUBLE_EQ(out, 1.5);
}

}  // namespace
}  // namespace yona
