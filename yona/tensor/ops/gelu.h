// GELU (Hendrycks and Gimpel 2016): x Φ(x).
#pragma once

#include "yona/tensor/context.h"

namespace yona {

Tensor gelu(const Tensor& x, Context& c);

}  // namespace yona
