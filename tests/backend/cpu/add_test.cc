// Sums and constants against the reference, on matrices and on one long row.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct AddProblem {
  Matrix a, b, y;
  bool two;
  AddArgs args() { return {a.view(), two ? b.view() : View{}, y.view(), 0.5F, -2.0F}; }
  std::vector<Matrix*> outputs() { return {&y}; }
};

struct FillProblem {
  Matrix y;
  FillArgs args() { return {y.view(), 3.25F}; }
  std::vector<Matrix*> outputs() { return {&y}; }
};

TEST(CpuAdd, IsTheReferences) {
  test::on_every_isa([] {
    std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {{1, 200001}, {3, 70000}};
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t rows : {0, 1, 300}) {
        sizes.emplace_back(rows, cols);
      }
    }
    for (const auto& [rows, cols] : sizes) {
      SCOPED_TRACE(testing::Message() << rows << "×" << cols);
      const Matrix a = Matrix::random(rows, cols, 1, 3);
      const Matrix b = Matrix::random(rows, cols, 2, 1);
      for (const bool two : {false, true}) {
        test::expect_like_reference(AddProblem{a, b, b, two}, &Kernels::add);
      }
      test::expect_like_reference(FillProblem{a}, &Kernels::fill, 0);
    }
  });
}

// Gradients that ranks exchange: the last operand is bf16.
TEST(CpuAdd, WidensItsLastOperand) {
  std::vector<float> a{1.0F, -2.5F, 0.125F};
  std::vector<std::uint16_t> b{to_bf16(3.0F), to_bf16(-0.5F), to_bf16(1.0F / 3.0F)};
  for (const Kernels* kernels : {&reference_kernels(), &cpu_kernels()}) {
    std::vector<float> y(3);
    const View wide{y.data(), 1, 3, 3, DType::f32};
    const View first{a.data(), 1, 3, 3, DType::f32};
    const View half{b.data(), 1, 3, 3, DType::bf16};
    kernels->add({.a = first, .b = half, .y = wide}, test::one_thread());
    EXPECT_EQ(y, (std::vector<float>{4.0F, -3.0F, 0.125F + from_bf16(b[2])}));
    kernels->add({.a = half, .b = {}, .y = wide, .alpha = 2.0F}, test::one_thread());
    EXPECT_EQ(y, (std::vector<float>{6.0F, -1.0F, 2.0F * from_bf16(b[2])}));
  }
}

TEST(CpuAdd, OfDoublesIsTheReferences) {
  double a = 1;
  double y = 0;
  const auto view = [](double& value) { return View{&value, 1, 1, 1, DType::f64}; };
  cpu_kernels().add({.a = view(a), .b = view(a), .y = view(y), .alpha = 2.0F}, test::one_thread());
  EXPECT_EQ(y, 3.0);
  cpu_kernels().fill({view(y), 4.0F}, test::one_thread());
  EXPECT_EQ(y, 4.0);
}

}  // namespace
}  // namespace yona
