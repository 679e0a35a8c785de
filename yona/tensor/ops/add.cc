#include "yona/tensor/ops/add.h"

namespace yona {

namespace {

// y = alpha a + beta b:  da += alpha dy
void give(const Tensor& x, const Tensor& dy, float factor, Context& c) {
  if (const GradientTarget dx = gradient_target(x, c.region); dx.tensor) {
    c.kernels().add(
        {.a = dy.view(), .b = dx.accumulate ? dx.view() : View{}, .y = dx.view(), .alpha = factor},
        c.exec());
  }
}

}  // namespace

Tensor add(const Tensor& a, const Tensor& b, Context& c, float alpha, float beta) {
  check(a.shape() == b.shape() && a.dtype() == b.dtype(), "add: {} of {} and {} of {} differ",
        a.shape(), a.dtype(), b.shape(), b.dtype());
  Tensor y = c.empty(a.dtype(), a.shape());
  c.kernels().add({.a = a.view(), .b = b.view(), .y = y.view(), .alpha = alpha, .beta = beta},
                  c.exec());
  if (records(c, a, b)) {
    y.set_requires_gradient();
    c.tape->record([a, b, y, alpha, beta, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        give(a, dy, alpha, c);
        give(b, dy, beta, c);
      }
    });
  }
  return y;
}

Tensor scale(const Tensor& a, float factor, Context& c) {
  Tensor y = c.empty(a.dtype(), a.shape());
  c.kernels().add({.a = a.view(), .b = {}, .y = y.view(), .alpha = factor}, c.exec());
  if (records(c, a)) {
    y.set_requires_gradient();
    c.tape->record([a, y, factor, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        give(a, dy, factor, c);
      }
    });
  }
  return y;
}

}  // namespace yona
