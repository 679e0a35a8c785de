// The gradients behind y = x Wᵀ, for ops that have such a product inside.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// dW (+)= dyᵀ x, where the weight takes a gradient; put off where the context says so, so that dy
// and x must not be written to any more.
void add_weight_gradient(const Tensor& weight, const Tensor& dy, const Tensor& x, Context& c);

// dx (+)= dy W, where x takes a gradient.
void add_input_gradient(const Tensor& x, const Tensor& dy, const Tensor& weight, Context& c);

}  // namespace yona
