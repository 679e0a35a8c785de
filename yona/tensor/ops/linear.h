// y = dropout(activation(x Wᵀ + b)): the product of every layer, with what follows it fused.
#pragma once

#include "yona/tensor/row_dropout.h"

namespace yona {

struct LinearOptions {
  Activation activation = Activation::none;
  RowDropout dropout{};  // after a relu only
};

// x [rows, in], W [out, in], b [out] or empty → [rows, out].
// The plain composition is matmul, add of the bias, relu and dropout.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias,
              const LinearOptions& options, Context& c);

}  // namespace yona
