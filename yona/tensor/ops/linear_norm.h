// LN(x + a Wᵀ + b): what a sub-layer ends with, the residual sum and the norm behind it, as one
// kernel. For passes that record nothing, where the backend gains by it: decoding on a GPU.
#pragma once

#include "yona/tensor/ops/residual_norm.h"

namespace yona {

// May a product with this weight be one with the norm behind it? Not where something is recorded or
// dropped, weights are packed or in bytes, or the backend always does one after the other (a GPU
// does so for many rows, and in types and widths that its kernel does not take).
bool joins_norm(const Tensor& weight, const Context& c);

struct LinearNormWeights {
  Tensor weight;                  // W [n, k]
  Tensor bias;                    // b [n] or empty
  Tensor norm_weight, norm_bias;  // [n]
  float epsilon = 1e-5F;
};

enum class FormSum : bool { no, yes };

// x [rows, n], a [rows, k] → both [rows, n]; the sum is empty where it is not asked for.
// The plain composition is linear and residual_norm. Only where the weight joins_norm().
ResidualNorm linear_norm(const Tensor& x, const Tensor& a, const LinearNormWeights& weights,
                         FormSum form_sum, Context& c);

}  // namespace yona
