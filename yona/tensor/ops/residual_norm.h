// Layer normalisation, alone and fused with the residual sum and dropout before it.
#pragma once

#include "yona/tensor/row_dropout.h"

namespace yona {

struct ResidualNorm {
  Tensor sum;     // s = x + dropout(r)
  Tensor normed;  // LN(s)
};

// Both outputs carry gradients: post-norm goes on with `normed`, pre-norm with both.
// The plain composition is dropout, add and layer_norm.
ResidualNorm residual_norm(const Tensor& x, const Tensor& r, const Tensor& weight,
                           const Tensor& bias, float epsilon, const RowDropout& dropout,
                           Context& c);

// x + dropout(r): the residual stream of pre-norm. The plain composition is dropout and add.
Tensor residual_sum(const Tensor& x, const Tensor& r, const RowDropout& dropout, Context& c);

// LN(x) = (x - mean) / √(variance + ε) ∘ weight + bias over the last axis (Ba et al. 2016).
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, float epsilon,
                  Context& c);

}  // namespace yona
