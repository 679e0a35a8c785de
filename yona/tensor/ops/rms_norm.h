// Layer normalisation without mean and bias (Zhang and Sennrich 2019), as T5 has it.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// RMS(x) = x / √(mean(x²) + ε) ∘ weight over the last axis; weight [d].
Tensor rms_norm(const Tensor& x, const Tensor& weight, float epsilon, Context& c);

}  // namespace yona
