// Transposition of every small shape, and of strided ones.

#include "yona/backend/cpu/transpose.h"

#include "tests/backend/cpu/kernel_test.h"

namespace yona {
namespace {

using test::Matrix;

TEST(Transpose, TurnsEveryShape) {
  test::on_every_isa([] {
    for (const std::int64_t rows : {0, 1, 3, 4, 5, 15, 16, 17, 40}) {
      for (const std::int64_t cols : {0, 1, 3, 4, 7, 16, 33}) {
        Matrix from = Matrix::random(rows, cols, 1, 3);
        Matrix to(cols, rows, 5);
        cpu::transpose(from.view().row<float>(0), cols + 3, rows, cols, to.view().row<float>(0),
                       rows + 5);
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < cols; ++j) {
            ASSERT_EQ(to.at(j, i), from.at(i, j)) << rows << "×" << cols;
          }
        }
        EXPECT_TRUE(to.padding_is_untouched());
      }
    }
  });
}

}  // namespace
}  // namespace yona
