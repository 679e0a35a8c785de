// Softmax and log-softmax over the last axis.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

Tensor softmax(const Tensor& x, Context& c);
Tensor log_softmax(const Tensor& x, Context& c);

}  // namespace yona
