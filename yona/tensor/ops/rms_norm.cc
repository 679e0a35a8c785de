#include "yona/tensor/ops/rms_norm.h"

namespace yona {

Tensor rms_norm(const Tensor& x, const Tensor& weight, float epsilon, Context& c) {
  check(weight.elements() == x.cols(), "rms_norm: weight {} does not fit input {}", weight.shape(),
        x.shape());
  Tensor y = c.empty(x.dtype(), Shape{x.rows(), x.cols()});
  const Tensor statistics = c.empty(sum_type(x.dtype()), Shape{x.rows(), 1});
  const auto args = [=](const Tensor& out) {
    return RmsNormArgs{.x = x.view(),
                       .y = out.view(),
                       .weight = weight.view(),
                       .statistics = statistics.view(),
                       .epsilon = epsilon};
  };
  c.kernels().rms_norm(args(y), c.exec());
  if (records(c, x, weight)) {
    y.set_requires_gradient();
    // x̂ = x · rstd, g = dy ∘ weight:  dx = rstd (g - x̂ mean(g ∘ x̂));  dweight = Σ dy ∘ x̂
    c.tape->record([x, weight, y, args, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        const GradientTarget dx = gradient_target(x, c.region);
        c.kernels().rms_norm_backward({.forward = args(y),
                                       .dy = dy.view(),
                                       .dx = dx.view(),
                                       .accumulate_dx = dx.accumulate,
                                       .dweight = gradient_sum(weight, c.region)},
                                      c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
