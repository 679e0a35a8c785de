// GELU and its gradient against the reference.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Forward {
  Matrix x, y;
  RowsArgs args() { return {x.view(), y.view()}; }
  std::vector<Matrix*> outputs() { return {&y}; }
};

struct Backward {
  Matrix x, dy, dx;
  bool accumulate;
  RowsBackwardArgs args() { return {x.view(), dy.view(), dx.view(), accumulate}; }
  std::vector<Matrix*> outputs() { return {&dx}; }
};

TEST(CpuGelu, IsTheReferences) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 100}) {
        SCOPED_TRACE(testing::Message() << rows << "×" << cols);
        const Matrix x = Matrix::random(rows, cols, 1, 3, 6.0);
        const Matrix dy = Matrix::random(rows, cols, 2);
        test::expect_like_reference(Forward{x, Matrix(rows, cols, 1)}, &Kernels::gelu);
        for (const bool accumulate : {false, true}) {
          test::expect_like_reference(Backward{x, dy, dy, accumulate}, &Kernels::gelu_backward);
        }
      }
    }
  });
}

TEST(CpuGelu, GoesToZeroAndToTheIdentityFarOut) {
  test::on_every_isa([] {
    Forward problem{Matrix(1, 4), Matrix(1, 4)};
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
