// GELU (Hendrycks and Gimpel 2016): x Φ(x), exactly or by the paper's formula with tanh.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

Tensor gelu(const Tensor& x, Context& c);
// ½ x (1 + tanh(√(2/π) (x + 0.044715 x³)))
Tensor gelu_tanh(const Tensor& x, Context& c);

}  // namespace yona
