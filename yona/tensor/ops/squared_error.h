// The loss of a regression: the squared difference of prediction and target. Like
// linear_cross_entropy, it is where backward starts: the weight of each row is known.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// predictions [n, 1], targets [n, 1] of the same type; row_scale f32 [n, 1], the weight of each row
// in the loss, needed for gradients → [n, 1]: (prediction - target)², not weighted.
Tensor squared_error(const Tensor& predictions, const Tensor& targets, const Tensor& row_scale,
                     Context& c);

}  // namespace yona
