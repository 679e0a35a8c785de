#include "yona/tensor/ops/linear.h"

#include "yona/tensor/bias_gradient.h"
#include "yona/tensor/operand.h"
#include "yona/tensor/ops/linear_gradients.h"
#include "yona/tensor/packed_weights.h"
#include "yona/tensor/quantised_weights.h"

namespace yona {

namespace {

void forward(const Tensor& x, const Tensor& weight, const Tensor& bias,
             const LinearOptions& options, const Tensor& y, Context& c) {
  const bool rounded = size_of(y.dtype()) == 2;  // the bias too, as products want it
  const View bias_row = !bias ? View{} : rounded ? operand_part(bias, c) : bias.view();
  if (PackedWeights* packed = weight.storage()->packed; packed != nullptr) {
    c.kernels().packed_matmul({.x = x.view(),
                               .weights = packed->packed(weight),
                               .y = y.view(),
                               .bias = bias_row,
                               .activation = options.activation},
                              c.exec());
  } else if (QuantisedWeights* bytes = weight.storage()->quantised; bytes != nullptr) {
    c.kernels().int8_matmul({.x = x.view(),
                             .weights = bytes->get(weight),
                             .y = y.view(),
                             .bias = bias_row,
                             .activation = options.activation},
                            c.exec());
  } else {
    c.kernels().matmul({.a = operand(x, c),
                        .b = weight_operand(weight, c),
                        .c = y.view(),
                        .transpose_b = true,
                        .bias = bias_row,
                        .activation = options.activation,
                        .precision = c.precision},
                       c.exec());
  }
  if (options.dropout) {
    c.kernels().dropout({.x = y.view(),
                         .y = y.view(),
                         .row_keys = options.dropout.keys(),
                         .dropout = options.dropout.dropout},
                        c.exec());
  }
}

// z = x Wᵀ + b, y = dropout(relu(z)), which is positive just where z is and the mask keeps:
//   dz = dy ∘ [y > 0] / (1-p);   dx = dz W;   dW = dzᵀ x;   db = Σ_rows dz
void backward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Tensor& y,
              Activation activation, float scale, Context& c) {
  const Tensor dy = y.gradient();
  if (!dy) {
    return;
  }
  const View db = gradient_sum(bias, c.region);
  if (db || activation != Activation::none) {
    c.kernels().bias_activation_backward({.y = y.view(),
                                          .dy = dy.view(),
                                          .bias_gradient = db,
                                          .activation = activation,
                                          .scale = scale},
                                         c.exec());
  }
  add_weight_gradient(weight, dy, x, c);
  add_input_gradient(x, dy, weight, c);
}

}  // namespace

void add_weight_gradient(const Tensor& weight, const Tensor& dy, const Tensor& x, Context& c) {
  if (const GradientTarget dw = gradient_target(weight, c.region); dw.tensor) {
    if (c.weight_gradients != nullptr && dw.accumulate &&
        c.weight_gradients->add(dy, x, dw.tensor)) {
      return;
    }
    c.kernels().matmul({.a = operand(dy, c),
                        .b = operand(x, c),
                        .c = dw.view(),
                        .transpose_a = true,
                        .accumulate = dw.accumulate,
                        .precision = c.precision},
                       c.exec());
  }
}

void add_input_gradient(const Tensor& x, const Tensor& dy, const Tensor& weight, Context& c) {
  if (const GradientTarget dx = gradient_target(x, c.region); dx.tensor) {
    c.kernels().matmul({.a = operand(dy, c),
                        .b = weight_operand(weight, c),
                        .c = dx.view(),
                        .accumulate = dx.accumulate,
                        .precision = c.precision},
                       c.exec());
  }
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const LinearOptions& options, Context& c) {
  check(x.cols() == weight.cols() && sum_type(x.dtype()) == weight.dtype(),
        "linear: input {} of {} does not fit weight {} of {}", x.shape(), x.dtype(), weight.shape(),
        weight.dtype());
  check(!bias || bias.elements() == weight.rows(), "linear: bias {} does not fit weight {}",
        bias.shape(), weight.shape());
  check(!options.dropout || options.activation == Activation::relu,
        "linear: dropout is fused after a relu only");
  check(!options.dropout || options.dropout.row_keys.elements() == x.rows(),
        "linear: {} row keys for input {}", options.dropout.row_keys.elements(), x.shape());
  Tensor y = c.empty(x.dtype(), Shape{x.rows(), weight.rows()});
  forward(x, weight, bias, options, y, c);
  if (records(c, x, weight, bias)) {
    y.set_requires_gradient();
    const float scale = options.dropout ? options.dropout.dropout.scale : 1.0F;
    const bool plain = options.activation == Activation::none;  // dz is then what dy's op wrote
    c.tape->record([x, weight, bias, y, activation = options.activation, scale,
                    asked = BiasGradient(plain ? bias : Tensor(), y), &c] {
      backward(x, weight, asked.done() ? Tensor() : bias, y, activation, scale, c);
    });
  }
  return y;
}

}  // namespace yona
