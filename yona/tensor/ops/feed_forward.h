// FFN(x) = max(0, x W₁ᵀ + b₁) W₂ᵀ + b₂      Vaswani et al. 2017, §3.3, eq. 2; dropout after max
// or with GELU instead of max, without dropout.
// One op for the sake of its backward, in which a product and the gradient of what it was fed by
// are one kernel.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "yona/tensor/row_dropout.h"

namespace yona {

// gelu_tanh is GELU by its formula with tanh (tensor/ops/gelu.h).
enum class FeedForwardActivation : std::uint8_t { relu, gelu, gelu_tanh, silu };
constexpr std::array<std::string_view, 4> enum_names(FeedForwardActivation) {
  return {"relu", "gelu", "gelu_tanh", "silu"};
}

struct FeedForwardWeights {
  Tensor inner;       // W₁ [d_ff, d]
  Tensor inner_bias;  // b₁ [d_ff] or empty
  Tensor outer;       // W₂ [d_out, d_ff]
  Tensor outer_bias;  // b₂ [d_out] or empty
};

// x [rows, d] → [rows, d_out]. The plain composition is linear with a relu and dropout, and linear.
Tensor feed_forward(const Tensor& x, const FeedForwardWeights& weights, const RowDropout& dropout,
                    Context& c);

// linear, gelu and linear.
Tensor feed_forward(const Tensor& x, const FeedForwardWeights& weights, GeluForm form, Context& c);

}  // namespace yona
