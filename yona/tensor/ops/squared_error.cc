#include "yona/tensor/ops/squared_error.h"

#include "yona/base/error.h"

namespace yona {

// L = Σ s (y - t)²:  dL/dy = 2 s (y - t)
Tensor squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& row_scale,
                     Context& c) {
  check(predictions.shape() == targets.shape() && predictions.dtype() == targets.dtype(),
        "squared_error: {} of {} and {} of {} differ", predictions.shape(), predictions.dtype(),
        targets.shape(), targets.dtype());
  Tensor difference = c.empty(predictions.dtype(), predictions.shape());
  c.kernels().add(
      {.a = predictions.view(), .b = targets.view(), .y = difference.view(), .beta = -1.0F},
      c.exec());
  Tensor loss = c.empty(predictions.dtype(), predictions.shape());
  c.kernels().multiply({.a = difference.view(), .b = difference.view(), .y = loss.view()},
                       c.exec());
  if (records(c, predictions)) {
    check(row_scale && row_scale.shape() == predictions.shape(),
          "squared_error: gradients need a weight for each row");
    Tensor twice = c.empty(predictions.dtype(), predictions.shape());
    c.kernels().add({.a = difference.view(), .b = {}, .y = twice.view(), .alpha = 2.0F}, c.exec());
    const GradientTarget target = gradient_target(predictions, c.region);
    c.kernels().multiply({.a = twice.view(),
                          .b = row_scale.view(),
                          .y = target.view(),
                          .accumulate = target.accumulate},
                         c.exec());
  }
  return loss;
}

}  // namespace yona
