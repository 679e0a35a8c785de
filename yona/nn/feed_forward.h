// FFN(x) = max(0, x W₁ + b₁) W₂ + b₂      Vaswani et al. 2017, §3.3, eq. 2; or with GELU.
#pragma once

#include "yona/nn/linear.h"

namespace yona {

enum class FeedForwardActivation : std::uint8_t { relu, gelu };

class FeedForward : public Module {
 public:
  // dropout is that of the inner activations (none in the paper).
  FeedForward(std::int64_t d_model, std::int64_t d_ff, FeedForwardActivation activation,
              double dropout);
  Ragged operator()(const Ragged& x, Context& c) const;

 private:
  Linear inner_, outer_;
  FeedForwardActivation activation_;
  double dropout_;
};

}  // namespace yona
