#include "yona/tensor/ops/residual_norm.h"

namespace yona {

namespace {

struct Saved {  // what backward reads; r is empty for a plain norm, s is then x
  Tensor x, r, s, y, weight, bias, statistics;
  RowDropout dropout;
};

void backward(const Saved& saved, Context& c) {
  const Tensor dy = saved.y.gradient();
  const Tensor ds = saved.r ? saved.s.gradient() : Tensor();
  if (!dy && !ds) {
    return;
  }
  const Tensor dy_or_zero = dy ? dy : c.zeros(saved.y.dtype(), saved.y.shape());
  const GradientTarget dx = gradient_target(saved.x, c.region);
  const auto& kernel = c.kernels().residual_norm_backward;
  const GradientTarget dr =
      saved.r ? gradient_target(saved.r, c.region, kernel.gradient_sums) : GradientTarget{};
  kernel({.forward = {.x = saved.x.view(),
                      .r = saved.r ? saved.r.view() : View{},
                      .s = saved.s.view(),
                      .weight = saved.weight.view(),
                      .statistics = saved.statistics.view(),
                      .row_keys = saved.dropout.keys(),
                      .dropout = saved.dropout.dropout},
          .dy = dy_or_zero.view(),
          .ds = ds ? ds.view() : View{},
          .dx = dx.view(),
          .dr = dr.view(),
          .accumulate_dx = dx.accumulate,
          .accumulate_dr = dr.accumulate,
          .dweight = gradient_sum(saved.weight, c.region),
          .dbias = gradient_sum(saved.bias, c.region),
          .dr_sums = dr.sums},
         c.exec());
}

ResidualNorm normalise(const Tensor& x, const Tensor& r, const Tensor& weight, const Tensor& bias,
                       float epsilon, const RowDropout& dropout, Context& c) {
  check(weight.elements() == x.cols() && bias.elements() == x.cols(),
        "layer_norm: weight {} and bias {} do not fit input {}", weight.shape(), bias.shape(),
        x.shape());
  Tensor y = c.empty(x.dtype(), Shape{x.rows(), x.cols()});
  Tensor s = r ? c.empty(x.dtype(), Shape{x.rows(), x.cols()}) : x;
  Tensor statistics = c.empty(sum_type(x.dtype()), Shape{x.rows(), 2});
  c.kernels().residual_norm({.x = x.view(),
                             .r = r ? r.view() : View{},
                             .s = s.view(),
                             .y = y.view(),
                             .weight = weight.view(),
                             .bias = bias.view(),
                             .statistics = statistics.view(),
                             .epsilon = epsilon,
                             .row_keys = dropout.keys(),
                             .dropout = dropout.dropout},
                            c.exec());
  if (records(c, x, r, weight, bias)) {
    y.set_requires_gradient();
    if (r) {
      s.set_requires_gradient();
    }
    c.tape->record(
        [saved = Saved{x, r, s, y, weight, bias, statistics, dropout}, &c] { backward(saved, c); });
  }
  return {s, y};
}

}  // namespace

ResidualNorm residual_norm(const Tensor& x, const Tensor& r, const Tensor& weight,
                           const Tensor& bias, float epsilon, const RowDropout& dropout,
                           Context& c) {
  check(x.dtype() == r.dtype(), "residual_norm: residual of {} for input of {}", r.dtype(),
        x.dtype());
  check(x.shape() == r.shape(), "residual_norm: residual {} does not fit input {}", r.shape(),
        x.shape());
  check(!dropout || dropout.row_keys.elements() == x.rows(),
        "residual_norm: {} row keys for input {}", dropout.row_keys.elements(), x.shape());
  return normalise(x, r, weight, bias, epsilon, dropout, c);
}

Tensor residual_sum(const Tensor& x, const Tensor& r, const RowDropout& dropout, Context& c) {
  check(x.dtype() == r.dtype(), "residual_sum: residual of {} for input of {}", r.dtype(),
        x.dtype());
  check(x.shape() == r.shape(), "residual_sum: residual {} does not fit input {}", r.shape(),
        x.shape());
  check(!dropout || dropout.row_keys.elements() == x.rows(),
        "residual_sum: {} row keys for input {}", dropout.row_keys.elements(), x.shape());
  Tensor y = c.empty(x.dtype(), Shape{x.rows(), x.cols()});
  c.kernels().dropout({.x = r.view(),
                       .y = y.view(),
                       .row_keys = dropout.keys(),
                       .dropout = dropout.dropout,
                       .residual = x.view()},
                      c.exec());
  if (records(c, x, r)) {
    y.set_requires_gradient();
    // y = x + m ∘ r / (1-p):  dx = dy;  dr = m ∘ dy / (1-p)
    c.tape->record([x, r, y, dropout, &c] {
      const Tensor dy = y.gradient();
      if (!dy) {
        return;
      }
      if (const GradientTarget dr = gradient_target(r, c.region); dr.tensor) {
        c.kernels().dropout({.x = dy.view(),
                             .y = dr.view(),
                             .row_keys = dropout.keys(),
                             .dropout = dropout.dropout,
                             .accumulate = dr.accumulate},
                            c.exec());
      }
      if (const GradientTarget dx = gradient_target(x, c.region); dx.tensor) {
        c.kernels().add({.a = dy.view(), .b = dx.accumulate ? dx.view() : View{}, .y = dx.view()},
                        c.exec());
      }
    });
  }
  return y;
}

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float epsilon,
                  Context& c) {
  return normalise(x, Tensor(), weight, bias, epsilon, {}, c).normed;
}

}  // namespace yona
