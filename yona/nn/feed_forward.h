// FFN(x) = max(0, x W₁ + b₁) W₂ + b₂      Vaswani et al. 2017, §3.3, eq. 2; or with another
// activation f; or gated, (f(x W₁) ∘ x W_g) W₂ (Shazeer 2020).
#pragma once

#include <memory>

#include "yona/nn/sub_layer.h"

namespace yona {

// gelu_tanh is GELU by its formula with tanh (tensor/ops/gelu.h).
enum class FeedForwardActivation : std::uint8_t { relu, gelu, gelu_tanh, silu };

struct FeedForwardShape {
  std::int64_t d_model = 512;
  std::int64_t d_ff = 2048;
  FeedForwardActivation activation = FeedForwardActivation::relu;
  bool gated = false;
  Biases biases = Biases::yes;
};

class FeedForward : public Module {
 public:
  // dropout is that of the inner activations (none in the paper).
  FeedForward(const FeedForwardShape& shape, double dropout);
  Ragged operator()(const Ragged& x, Context& c) const;
  // The same for the norm behind it, which may make the last product.
  SubLayerResult for_norm(const Ragged& x, Context& c) const;

 private:
  Tensor activated(const Ragged& x, Context& c) const;
  Ragged hidden(const Ragged& x, Context& c) const;

  Linear inner_;
  std::unique_ptr<Linear> gate_;  // when gated
  Linear outer_;
  FeedForwardActivation activation_;
  double dropout_;
};

}  // namespace yona
