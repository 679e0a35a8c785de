#include "yona/tensor/ops/linear_norm.h"

#include "yona/tensor/operand.h"

namespace yona {

bool joins_norm(const Tensor& weight, const Context& c) {
  return c.kernels().linear_norm.fused == Fused::yes && c.tape == nullptr && !c.training &&
         weight.storage()->packed == nullptr && weight.storage()->quantised == nullptr;
}

ResidualNorm linear_norm(const Tensor& x, const Tensor& a, const LinearNormWeights& weights,
                         FormSum form_sum, Context& c) {
  const Tensor& weight = weights.weight;
  const Tensor& bias = weights.bias;
  check(a.cols() == weight.cols() && sum_type(a.dtype()) == weight.dtype(),
        "linear_norm: input {} of {} does not fit weight {} of {}", a.shape(), a.dtype(),
        weight.shape(), weight.dtype());
  check(!bias || bias.elements() == weight.rows(), "linear_norm: bias {} does not fit weight {}",
        bias.shape(), weight.shape());
  check(x.rows() == a.rows() && x.cols() == weight.rows() && x.dtype() == a.dtype(),
        "linear_norm: residual {} of {} does not fit input {} of {} and weight {}", x.shape(),
        x.dtype(), a.shape(), a.dtype(), weight.shape());
  check(weights.norm_weight.elements() == x.cols() && weights.norm_bias.elements() == x.cols(),
        "linear_norm: weight {} and bias {} of the norm do not fit {}", weights.norm_weight.shape(),
        weights.norm_bias.shape(), x.shape());
  check(joins_norm(weight, c),
        "linear_norm: this backend does not fuse the product with the norm; use linear and "
        "residual_norm");
  const Shape shape{x.rows(), x.cols()};
  const Tensor y = c.empty(x.dtype(), shape);
  const Tensor s = form_sum == FormSum::yes ? c.empty(x.dtype(), shape) : Tensor();
  const Tensor workspace = c.empty(x.dtype(), shape);
  const Tensor statistics = c.empty(sum_type(x.dtype()), Shape{x.rows(), 2});
  const bool rounded = size_of(x.dtype()) == 2;  // the bias too, as products want it
  c.kernels().linear_norm({.a = operand(a, c),
                           .weight = weight_operand(weight, c),
                           .bias = !bias     ? View{}
                                   : rounded ? operand_part(bias, c)
                                             : bias.view(),
                           .x = x.view(),
                           .s = s ? s.view() : View{},
                           .y = y.view(),
                           .norm_weight = weights.norm_weight.view(),
                           .norm_bias = weights.norm_bias.view(),
                           .workspace = workspace.view(),
                           .statistics = statistics.view(),
                           .epsilon = weights.epsilon,
                           .precision = c.precision},
                          c.exec());
  return {s, y};
}

}  // namespace yona
