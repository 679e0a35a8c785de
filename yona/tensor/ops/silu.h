// SiLU (Elfwing et al. 2018; also called swish): x σ(x).
#pragma once

#include "yona/tensor/context.h"

namespace yona {

Tensor silu(const Tensor& x, Context& c);

}  // namespace yona
