// Dropout of single elements (Srivastava et al. 2014), recomputed in the backward pass.
#pragma once

#include "yona/tensor/row_dropout.h"

namespace yona {

// Returns x itself when dropout is off.
Tensor dropout(const Tensor& x, const RowDropout& options, Context& c);

}  // namespace yona
