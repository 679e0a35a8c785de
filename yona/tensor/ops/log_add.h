// The mean of probabilities, from their logarithms. No backward pass.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// log(e^a + e^b) + shift, element by element; a and b have one shape.
Tensor log_add(const Tensor& a, const Tensor& b, float shift, Context& c);

}  // namespace yona
