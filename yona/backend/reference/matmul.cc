// Matrix product with bias and activation, as three loops.

#include <algorithm>

#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// An operand's element, rounded where the precision asks for it and it has not been before.
template <class T>
double element(const View& view, std::int64_t i, std::int64_t j, Precision precision) {
  if (view.dtype == DType::bf16) {
    return static_cast<double>(from_bf16(view.row<std::uint16_t>(i)[j]));
  }
  const T value = view.row<T>(i)[j];
  return precision == Precision::bf16
             ? static_cast<double>(from_bf16(to_bf16(static_cast<float>(value))))
             : static_cast<double>(value);
}

template <class T>
void product(const MatmulArgs& args) {
  const std::int64_t inner = args.transpose_a ? args.a.rows : args.a.cols;
  for (std::int64_t i = 0; i < args.c.rows; ++i) {
    for (std::int64_t j = 0; j < args.c.cols; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < inner; ++k) {
        const bool ta = args.transpose_a;
        const bool tb = args.transpose_b;
        sum += element<T>(args.a, ta ? k : i, ta ? i : k, args.precision) *
               element<T>(args.b, tb ? j : k, tb ? k : j, args.precision);
      }
      T& c = args.c.row<T>(i)[j];
      sum += args.accumulate ? static_cast<double>(c) : 0.0;
      sum += args.bias ? static_cast<double>(args.bias.row<T>(0)[j]) : 0.0;
      c = static_cast<T>(args.activation == Activation::relu ? std::max(sum, 0.0) : sum);
    }
  }
}

template <class T>
void activation_backward(const BiasActivationBackwardArgs& args) {
  for (std::int64_t j = 0; j < args.dy.cols; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < args.dy.rows; ++i) {
      T& dy = args.dy.row<T>(i)[j];
      if (args.activation == Activation::relu) {
        dy = args.y.row<T>(i)[j] > T{0} ? dy * static_cast<T>(args.scale) : T{0};
      }
      sum += static_cast<double>(dy);
    }
    if (args.bias_gradient) {
      args.bias_gradient.row<T>(0)[j] += static_cast<T>(sum);
    }
  }
}

void round_bf16(const RoundArgs& args, Exec& /*exec*/) {
  for (std::int64_t i = 0; i < args.y.rows; ++i) {
    for (std::int64_t j = 0; j < args.y.cols; ++j) {
      args.y.row<std::uint16_t>(i)[j] =
          i < args.x.rows ? to_bf16(args.x.row<float>(i)[j]) : std::uint16_t{0};
    }
  }
}

void matmul(const MatmulArgs& args, Exec& /*exec*/) {
  with_type(args.c.dtype, "matmul", [&](auto t) { product<decltype(t)>(args); });
}

void bias_activation_backward(const BiasActivationBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.dy.dtype, "bias_activation_backward",
            [&](auto t) { activation_backward<decltype(t)>(args); });
}

void relu_gradient_product(const ReluGradientProductArgs& args, Exec& exec) {
  matmul(args.product(), exec);
  bias_activation_backward(args.gradient(), exec);
}

void weight_gradients(const WeightGradientsArgs& args, Exec& exec) {
  for (const WeightGradient& gradient : args.products) {
    matmul(gradient.product(args.precision), exec);
  }
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.matmul = matmul;
  table.round_bf16 = round_bf16;
  table.bias_activation_backward = bias_activation_backward;
  table.relu_gradient_product = relu_gradient_product;
  table.weight_gradients = weight_gradients;
});

}  // namespace
}  // namespace yona::reference
