// What a convolution over a ragged batch multiplies with its weights: the tokens around each token,
// beside each other. The convolution is then linear() of it.
#pragma once

#include "yona/tensor/context.h"
#include "yona/tensor/ragged.h"

namespace yona {

struct Window {
  std::int64_t width = 3;     // tokens
  std::int64_t dilation = 1;  // from one of them to the next
  bool causal = false;        // ends with the token itself; else the token is in the middle

  std::int64_t first() const { return -(causal ? width - 1 : (width - 1) / 2) * dilation; }
};

// x [T, d] → [T, width · d]; zeros for what is outside of a token's sentence.
Tensor neighbours(const Tensor& x, const Layout& layout, const Window& window, Context& c);

}  // namespace yona
