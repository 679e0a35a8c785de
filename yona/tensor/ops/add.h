// Sums and multiples.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// alpha · a + beta · b, same shapes.
Tensor add(const Tensor& a, const Tensor& b, Context& c, float alpha = 1.0F, float beta = 1.0F);
Tensor scale(const Tensor& a, float factor, Context& c);

}  // namespace yona
