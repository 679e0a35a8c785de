#include "yona/tensor/ops/screened_matmul.h"

#include "yona/tensor/packed_weights.h"

namespace yona {

Tensor screened_matmul(const Tensor& a, const Tensor& weight, std::int64_t largest, Context& c) {
  check(a.cols() == weight.cols() && a.dtype() == weight.dtype(),
        "screened_matmul: {} of {} and {}ᵀ of {} do not multiply", a.shape(), a.dtype(),
        weight.shape(), weight.dtype());
  PackedWeights* packed = weight.storage()->packed;
  check(packed != nullptr, "screened_matmul: the weight {} is not packed", weight.shape());
  check(largest > 0 && largest <= kMostScreened,
        "screened_matmul: the {} largest are asked for, 1 to {} can be", largest, kMostScreened);
  Tensor y = c.empty(a.dtype(), Shape{a.rows(), weight.rows()});
  const Screen screen = packed->screen(weight);
  c.kernels().screened_matmul({.x = a.view(),
                               .weights = weight.view(),
                               .y = y.view(),
                               .screen = screen,
                               .largest = largest},
                              c.exec());
  return y;
}

}  // namespace yona
