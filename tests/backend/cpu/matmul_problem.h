// A product of random matrices with everything that a product can be asked for.
#pragma once

#include "tests/backend/cpu/kernel_test.h"

namespace yona::test {

struct MatmulCase {
  std::int64_t m, n, k;
  bool transpose_a = false, transpose_b = false;
  bool accumulate = false;
  bool bias = false;
  Activation activation = Activation::none;
};

// Rows lie further apart than they are long, by another distance in each matrix.
struct MatmulProblem {
  explicit MatmulProblem(const MatmulCase& of, Precision chosen = Precision::f32)
      : each(of),
        precision(chosen),
        a(of.transpose_a ? Matrix::random(of.k, of.m, 1, 3) : Matrix::random(of.m, of.k, 1, 3)),
        b(of.transpose_b ? Matrix::random(of.n, of.k, 2, 1) : Matrix::random(of.k, of.n, 2, 1)),
        c(Matrix::random(of.m, of.n, 3, 5)),
        bias(Matrix::random(1, of.n, 4)) {}
  MatmulArgs args() {
    return {.a = a.view(),
            .b = b.view(),
            .c = c.view(),
            .transpose_a = each.transpose_a,
            .transpose_b = each.transpose_b,
            .accumulate = each.accumulate,
            .bias = each.bias ? bias.view() : View{},
            .activation = each.activation,
            .precision = precision};
  }

  MatmulCase each;
  Precision precision;
  Matrix a, b, c, bias;
};

}  // namespace yona::test
