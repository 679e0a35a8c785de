#include "yona/tensor/ops/batch_norm.h"

namespace yona {

Tensor batch_norm(const Tensor& x, const BatchNormState& state, Context& c) {
  for (const Tensor& vector :
       {state.weight, state.bias, state.running_mean, state.running_variance}) {
    check(vector.elements() == x.cols(), "batch_norm: a vector {} does not fit input {}",
          vector.shape(), x.shape());
  }
  Tensor y = c.empty(x.dtype(), Shape{x.rows(), x.cols()});
  const Tensor statistics = c.empty(sum_type(x.dtype()), Shape{2, x.cols()});
  const BatchStatistics use = !c.training ? BatchStatistics::running
                              : c.repeats ? BatchStatistics::of_batch_again
                                          : BatchStatistics::of_batch;
  const auto args = [=](const Tensor& out) {
    return BatchNormArgs{.x = x.view(),
                         .y = out.view(),
                         .weight = state.weight.view(),
                         .bias = state.bias.view(),
                         .running_mean = state.running_mean.view(),
                         .running_variance = state.running_variance.view(),
                         .statistics = statistics.view(),
                         .use = use,
                         .epsilon = state.epsilon};
  };
  c.kernels().batch_norm(args(y), c.exec());
  if (records(c, x, state.weight, state.bias)) {
    y.set_requires_gradient();
    // x̂ = (x - mean) · rstd over n rows: mean and rstd depend on every row, so
    // dx = weight · rstd (dy - Σ dy / n - x̂ Σ (dy ∘ x̂) / n);  dweight = Σ dy ∘ x̂;  dbias = Σ dy
    c.tape->record([x, weight = state.weight, bias = state.bias, statistics, y, args, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        const Tensor sums = c.empty(statistics.dtype(), Shape{2, x.cols()});
        const GradientTarget dx = gradient_target(x, c.region);
        c.kernels().batch_norm_backward({.forward = args(y),
                                         .dy = dy.view(),
                                         .dx = dx.view(),
                                         .accumulate_dx = dx.accumulate,
                                         .sums = sums.view(),
                                         .dweight = gradient_sum(weight, c.region),
                                         .dbias = gradient_sum(bias, c.region)},
                                        c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
