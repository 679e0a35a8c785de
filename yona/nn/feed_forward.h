// FFN(x) = max(0, x W₁ + b₁) W₂ + b₂      Vaswani et al. 2017, §3.3, eq. 2; or with another
// activation f; or gated, (f(x W₁) ∘ x W_g) W₂ (Shazeer 2020).
#pragma once

#include <memory>

#include "yona/nn/sub_layer.h"
#include "yona/tensor/ops/feed_forward.h"

namespace yona {

struct FeedForwardShape {
  std::int64_t d_ff = 2048;
  FeedForwardActivation activation = FeedForwardActivation::relu;
  bool gated = false;
  Biases biases = Biases::yes;
};

class FeedForward : public Module {
 public:
  // dropout is that of the inner activations (none in the paper).
  FeedForward(std::int64_t d_model, const FeedForwardShape& shape, double dropout);
  SubLayerResult operator()(const Ragged& x, Context& c) const;

 private:
  // As one op, for the sake of its backward; not in inference where the norm forms the last
  // product.
  bool is_one_op(Context& c) const;
  Tensor activated(const Ragged& x, Context& c) const;
  Ragged hidden(const Ragged& x, Context& c) const;

  Linear inner_;
  std::unique_ptr<Linear> gate_;  // when gated
  Linear outer_;
  FeedForwardActivation activation_;
  double dropout_;
};

}  // namespace yona
