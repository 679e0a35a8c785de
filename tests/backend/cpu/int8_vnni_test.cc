// VNNI gives the bits of plain words: the sums are the same integers.

#include <gtest/gtest.h>

#include "yona/backend/cpu/int8_product.h"

#include "tests/backend/cpu/int8_problem.h"

namespace yona {
namespace {

using test::Int8Memory;
using test::Matrix;

Matrix product_on(Isa isa, Matrix x, Int8Memory& weights, std::int64_t n) {
  use_isa(isa);
  Matrix y(x.rows(), n);
  cpu_kernels().int8_matmul({.x = x.view(), .weights = weights.weights(), .y = y.view()},
                            test::one_thread());
  use_isa(available_isas().back());
  return y;
}

TEST(Vnni, GivesTheBitsOfPlainWords) {
  if (!cpu::cpu_has_vnni()) {
    GTEST_SKIP() << "this CPU has no AVX-512 VNNI";
  }
  for (const std::int64_t m : {1, 2, 3, 4, 5, 6, 7, 31}) {
    for (const std::int64_t k : {1, 20, 300, 512}) {  // less than a group of each stream, and more
      Matrix stored = Matrix::random(192, k, 5);
      Int8Memory weights(192, k);
      cpu_kernels().quantise({.weights = stored.view(), .to = weights.weights()},
                             test::one_thread());
      const Matrix x = Matrix::random(m, k, 6);
      EXPECT_TRUE(product_on(Isa::avx512, x, weights, 192) ==
                  product_on(Isa::avx2, x, weights, 192))
          << m << " rows of " << k;
    }
  }
}

TEST(Vnni, IsUsedOnTheWidestSetAlone) {
  use_isa(Isa::baseline);
  EXPECT_FALSE(cpu::cpu_has_vnni());
  use_isa(available_isas().back());
}

}  // namespace
}  // namespace yona
