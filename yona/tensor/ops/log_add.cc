#include "yona/tensor/ops/log_add.h"

namespace yona {

Tensor log_add(const Tensor& a, const Tensor& b, float shift, Context& c) {
  check(a.shape() == b.shape() && a.dtype() == b.dtype(), "log_add: {} of {} and {} of {} differ",
        a.shape(), a.dtype(), b.shape(), b.dtype());
  Tensor y = c.empty(a.dtype(), a.shape());
  c.kernels().log_add({.a = a.view(), .b = b.view(), .y = y.view(), .shift = shift}, c.exec());
  return y;
}

}  // namespace yona
