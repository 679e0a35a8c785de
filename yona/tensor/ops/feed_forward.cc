#include "yona/tensor/ops/feed_forward.h"

#include <utility>

#include "yona/tensor/bias_gradient.h"
#include "yona/tensor/operand.h"
#include "yona/tensor/ops/linear.h"
#include "yona/tensor/ops/linear_gradients.h"

namespace yona {

namespace {

// Nothing is recorded while this lives.
class Unrecorded {
 public:
  explicit Unrecorded(Context& c) : c_(c), tape_(std::exchange(c.tape, nullptr)) {}
  ~Unrecorded() { c_.tape = tape_; }
  Unrecorded(const Unrecorded&) = delete;
  Unrecorded& operator=(const Unrecorded&) = delete;

 private:
  Context& c_;
  Tape* tape_;
};

struct Saved {
  Tensor x;
  FeedForwardWeights weights;
  Tensor hidden;  // h = dropout(relu(x W₁ᵀ + b₁)), positive just where relu and dropout let through
  Tensor y;
  float scale = 1.0F;  // of dropout
};

// db₂ = Σ_rows dy;  dW₂ = dyᵀ h;  dz = dy W₂ ∘ [h > 0] / (1-p);
// db₁ = Σ_rows dz;  dW₁ = dzᵀ x;  dx = dz W₁
void backward(const Saved& s, bool outer_bias_done, Context& c) {
  const Tensor dy = s.y.gradient();
  if (!dy) {
    return;
  }
  const FeedForwardWeights& w = s.weights;
  if (const View db = outer_bias_done ? View{} : gradient_sum(w.outer_bias, c.region); db) {
    c.kernels().bias_activation_backward({.y = {}, .dy = dy.view(), .bias_gradient = db}, c.exec());
  }
  add_weight_gradient(w.outer, dy, s.hidden, c);
  if (!s.x.requires_gradient() && !w.inner.requires_gradient() &&
      !w.inner_bias.requires_gradient()) {
    return;
  }
  const Tensor dz = c.empty(s.hidden.dtype(), s.hidden.shape());
  c.kernels().relu_gradient_product({.dy = operand(dy, c),
                                     .weight = weight_operand(w.outer, c),
                                     .y = s.hidden.view(),
                                     .dz = dz.view(),
                                     .bias_gradient = gradient_sum(w.inner_bias, c.region),
                                     .scale = s.scale,
                                     .precision = c.precision},
                                    c.exec());
  add_weight_gradient(w.inner, dz, s.x, c);
  add_input_gradient(s.x, dz, w.inner, c);
}

}  // namespace

Tensor feed_forward(const Tensor& x, const FeedForwardWeights& weights, const RowDropout& dropout,
                    Context& c) {
  Saved s{.x = x,
          .weights = weights,
          .hidden = {},
          .y = {},
          .scale = dropout ? dropout.dropout.scale : 1.0F};
  {
    const Unrecorded unrecorded(c);
    s.hidden = linear(x, weights.inner, weights.inner_bias,
                      {.activation = Activation::relu, .dropout = dropout}, c);  // [rows, d_ff]
    s.y = linear(s.hidden, weights.outer, weights.outer_bias, {}, c);            // [rows, d_out]
  }
  if (records(c, x, weights.inner, weights.inner_bias, weights.outer, weights.outer_bias)) {
    s.y.set_requires_gradient();
    c.tape->record(
        [s, asked = BiasGradient(weights.outer_bias, s.y), &c] { backward(s, asked.done(), c); });
  }
  return s.y;
}

}  // namespace yona
