// The hyperbolic tangent (BERT's pooler) and the logistic function σ(x) = 1 / (1 + e^-x).
#pragma once

#include "yona/tensor/context.h"

namespace yona {

Tensor tanh(const Tensor& x, Context& c);
Tensor sigmoid(const Tensor& x, Context& c);

}  // namespace yona
