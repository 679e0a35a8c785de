// a ∘ b, element by element: how a gate opens and closes.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// Same shapes.
Tensor multiply(const Tensor& a, const Tensor& b, Context& c);

}  // namespace yona
