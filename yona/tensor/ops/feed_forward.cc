#include "yona/tensor/ops/feed_forward.h"

#include <utility>

#include "yona/tensor/bias_gradient.h"
#include "yona/tensor/operand.h"
#include "yona/tensor/ops/gelu.h"
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
  Tensor inner{};   // z = x W₁ᵀ + b₁, with GELU
  Tensor hidden{};  // h = dropout(relu(z)), positive just where relu and dropout let through
  Tensor y{};
  float scale = 1.0F;  // of dropout
  GeluForm form = GeluForm::exact;
};

// dz = dy W₂ ∘ [h > 0] / (1-p), or dy W₂ ∘ gelu'(z);  db₁ = Σ_rows dz
void inner_gradient(const Saved& s, const Tensor& dy, const Tensor& dz, Context& c) {
  const FeedForwardWeights& w = s.weights;
  const View db = gradient_sum(w.inner_bias, c.region);
  if (s.inner) {
    c.kernels().gelu_gradient_product({.dy = operand(dy, c),
                                       .weight = weight_operand(w.outer, c),
                                       .z = s.inner.view(),
                                       .dz = dz.view(),
                                       .bias_gradient = db,
                                       .form = s.form,
                                       .precision = c.precision},
                                      c.exec());
    return;
  }
  c.kernels().relu_gradient_product({.dy = operand(dy, c),
                                     .weight = weight_operand(w.outer, c),
                                     .y = s.hidden.view(),
                                     .dz = dz.view(),
                                     .bias_gradient = db,
                                     .scale = s.scale,
                                     .precision = c.precision},
                                    c.exec());
}

// db₂ = Σ_rows dy;  dW₂ = dyᵀ h;  dW₁ = dzᵀ x;  dx = dz W₁
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
  inner_gradient(s, dy, dz, c);
  add_weight_gradient(w.inner, dz, s.x, c);
  add_input_gradient(s.x, dz, w.inner, c);
}

}  // namespace

namespace {

Tensor recorded(const Saved& s, Context& c) {
  const FeedForwardWeights& w = s.weights;
  if (records(c, s.x, w.inner, w.inner_bias, w.outer, w.outer_bias)) {
    Tensor y = s.y;
    y.set_requires_gradient();
    c.tape->record(
        [s, asked = BiasGradient(w.outer_bias, s.y), &c] { backward(s, asked.done(), c); });
  }
  return s.y;
}

}  // namespace

Tensor feed_forward(const Tensor& x, const FeedForwardWeights& weights, const RowDropout& dropout,
                    Context& c) {
  Saved s{.x = x, .weights = weights, .scale = dropout ? dropout.dropout.scale : 1.0F};
  {
    const Unrecorded unrecorded(c);
    s.hidden = linear(x, weights.inner, weights.inner_bias,
                      {.activation = Activation::relu, .dropout = dropout}, c);  // [rows, d_ff]
    s.y = linear(s.hidden, weights.outer, weights.outer_bias, {}, c);            // [rows, d_out]
  }
  return recorded(s, c);
}

Tensor feed_forward(const Tensor& x, const FeedForwardWeights& weights, GeluForm form, Context& c) {
  Saved s{.x = x, .weights = weights, .form = form};
  {
    const Unrecorded unrecorded(c);
    s.inner = linear(x, weights.inner, weights.inner_bias, {}, c);                  // [rows, d_ff]
    s.hidden = form == GeluForm::exact ? gelu(s.inner, c) : gelu_tanh(s.inner, c);  // [rows, d_ff]
    s.y = linear(s.hidden, weights.outer, weights.outer_bias, {}, c);               // [rows, d_out]
  }
  return recorded(s, c);
}

}  // namespace yona
