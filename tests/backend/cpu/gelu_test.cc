// GELU and its gradient against the reference.

#include "tests/backend/cpu/map_problem.h"

namespace yona {
namespace {

using test::Matrix;

TEST(CpuGelu, IsTheReferences) {
  test::expect_maps_like_reference({{&Kernels::gelu, &Kernels::gelu_backward}});
}

TEST(CpuGelu, GoesToZeroAndToTheIdentityFarOut) {
  test::on_every_isa([] {
    test::MapForward problem{Matrix(1, 4), Matrix(1, 4)};
    problem.x.at(0, 0) = -100;
    problem.x.at(0, 1) = 100;
    problem.x.at(0, 2) = 0;
    problem.x.at(0, 3) = NAN;
    cpu_kernels().gelu(problem.args(), test::one_thread());
    EXPECT_EQ(problem.y.at(0, 0), 0.0F);
    EXPECT_EQ(problem.y.at(0, 1), 100.0F);
    EXPECT_EQ(problem.y.at(0, 2), 0.0F);
    EXPECT_TRUE(std::isnan(problem.y.at(0, 3)));
  });
}

TEST(CpuGelu, OfDoublesIsTheReferences) {
  double x = 0;
  double dy = 3;
  double out = 1;
  const auto view = [](double& value) { return View{&value, 1, 1, 1, DType::f64}; };
  cpu_kernels().gelu({view(x), view(out)}, test::one_thread());
  EXPECT_EQ(out, 0.0);
  cpu_kernels().gelu_backward({view(x), view(dy), view(out), false}, test::one_thread());
  EXPECT_DOUBLE_EQ(out, 1.5);
}

}  // namespace
}  // namespace yona
