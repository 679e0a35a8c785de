#include "yona/tensor/ops/matmul.h"

#include "yona/tensor/packed_weights.h"
#include "yona/tensor/quantised_weights.h"

namespace yona {

Tensor matmul(const Tensor& a, const Tensor& b, Transpose transpose_b, Context& c) {
  const bool transposed = transpose_b == Transpose::yes;
  const std::int64_t inner = transposed ? b.cols() : b.rows();
  const std::int64_t n = transposed ? b.rows() : b.cols();
  check(a.cols() == inner && a.dtype() == b.dtype(),
        "matmul: {} of {} and {}{} of {} do not multiply", a.shape(), a.dtype(), b.shape(),
        transposed ? "ᵀ" : "", b.dtype());
  Tensor y = c.empty(a.dtype(), Shape{a.rows(), n});
  if (PackedWeights* packed = b.storage()->packed; packed != nullptr) {
    check(transposed, "matmul: packed weights {} are multiplied with transposed only", b.shape());
    c.kernels().packed_matmul({.x = a.view(), .weights = packed->packed(b), .y = y.view()},
                              c.exec());
    return y;
  }
  if (QuantisedWeights* bytes = b.storage()->quantised; bytes != nullptr) {
    check(transposed, "matmul: weights in bytes {} are multiplied with transposed only", b.shape());
    c.kernels().int8_matmul({.x = a.view(), .weights = bytes->get(b), .y = y.view()}, c.exec());
    return y;
  }
  c.kernels().matmul({.a = a.view(),
                      .b = b.view(),
                      .c = y.view(),
                      .transpose_b = transposed,
                      .precision = c.precision},
                     c.exec());
  if (records(c, a, b)) {
    y.set_requires_gradient();
    // y = a b:   da = dy bᵀ, db = aᵀ dy        y = a bᵀ:  da = dy b, db = dyᵀ a
    c.tape->record([a, b, y, transposed, &c] {
      const Tensor dy = y.gradient();
      if (!dy) {
        return;
      }
      if (const GradientTarget da = gradient_target(a, c.region); da.tensor) {
        c.kernels().matmul({.a = dy.view(),
                            .b = b.view(),
                            .c = da.view(),
                            .transpose_b = !transposed,
                            .accumulate = da.accumulate,
                            .precision = c.precision},
                           c.exec());
      }
      if (const GradientTarget db = gradient_target(b, c.region); db.tensor) {
        c.kernels().matmul({.a = transposed ? dy.view() : a.view(),
                            .b = transposed ? a.view() : dy.view(),
                            .c = db.view(),
                            .transpose_a = true,
                            .accumulate = db.accumulate,
                            .precision = c.precision},
                           c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
