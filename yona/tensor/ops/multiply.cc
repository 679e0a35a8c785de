#include "yona/tensor/ops/multiply.h"

namespace yona {

namespace {

// y = a ∘ b:  da += dy ∘ b
void give_product(const Tensor& x, const Tensor& dy, const Tensor& other, Context& c) {
  if (const GradientTarget dx = gradient_target(x, c.region); dx.tensor) {
    c.kernels().multiply(
        {.a = dy.view(), .b = other.view(), .y = dx.view(), .accumulate = dx.accumulate}, c.exec());
  }
}

}  // namespace

Tensor multiply(const Tensor& a, const Tensor& b, Context& c) {
  check(a.shape() == b.shape() && a.dtype() == b.dtype(), "multiply: {} of {} and {} of {} differ",
        a.shape(), a.dtype(), b.shape(), b.dtype());
  Tensor y = c.empty(a.dtype(), a.shape());
  c.kernels().multiply({.a = a.view(), .b = b.view(), .y = y.view()}, c.exec());
  if (records(c, a, b)) {
    y.set_requires_gradient();
    c.tape->record([a, b, y, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        give_product(a, dy, b, c);
        give_product(b, dy, a, c);
      }
    });
  }
  return y;
}

}  // namespace yona
