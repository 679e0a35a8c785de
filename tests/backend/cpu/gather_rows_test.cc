// Rows by their numbers, and their gradient, against the reference: to the last bit, as sums run in
// the same order.

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

struct Gather {
  Matrix x, y;
  std::vector<std::int32_t> rows;
  GatherRowsArgs args() { return {x.view(), y.view(), rows.data()}; }
  std::vector<Matrix*> outputs() { return {&y}; }
};

struct Scatter {
  Matrix dy, dx;
  std::vector<std::int32_t> rows;
  bool accumulate;
  GatherRowsBackwardArgs args() { return {dy.view(), dx.view(), rows.data(), accumulate}; }
  std::vector<Matrix*> outputs() { return {&dx}; }
};

TEST(CpuGatherRows, IsTheReferencesInEveryBit) {
  test::on_every_isa([] {
    for (const std::int64_t cols : test::kWidths) {
      for (const std::int64_t count : {0, 1, 200}) {
        SCOPED_TRACE(testing::Message() << count << " of " << cols);
        constexpr std::int64_t kRows = 37;
        std::vector<std::int32_t> rows;
        for (std::int64_t i = 0; i < count; ++i) {
          rows.push_back(static_cast<std::int32_t>(i % 3 == 0 ? 5 : i * 11 % kRows));
        }
        const Matrix x = Matrix::random(kRows, cols, 1, 3);
        test::expect_like_reference(Gather{x, Matrix(count, cols, 1), rows}, &Kernels::gather_rows,
                                    0.0);
        const Matrix dy = Matrix::random(count, cols, 2);
        for (const bool accumulate : {false, true}) {
          test::expect_like_reference(Scatter{dy, x, rows, accumulate},
                                      &Kernels::gather_rows_backward, 0.0);
        }
      }
    }
  });
}

}  // namespace
}  // namespace yona
