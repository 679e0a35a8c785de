#include "yona/nn/feed_forward.h"

#include "yona/base/error.h"
#include "yona/tensor/ops/dropout.h"
#include "yona/tensor/ops/feed_forward.h"
#include "yona/tensor/ops/gelu.h"
#include "yona/tensor/ops/multiply.h"
#include "yona/tensor/ops/silu.h"

namespace yona {

FeedForward::FeedForward(std::int64_t d_model, const FeedForwardShape& shape, double dropout)
    : inner_(d_model, shape.d_ff, shape.biases),
      gate_(shape.gated ? std::make_unique<Linear>(d_model, shape.d_ff, shape.biases) : nullptr),
      outer_(shape.d_ff, d_model, shape.biases),
      activation_(shape.activation),
      dropout_(dropout) {
  add("inner", inner_);
  if (gate_) {
    add("gate", *gate_);
  }
  add("outer", outer_);
}

// f(x W₁ + b₁)
Tensor FeedForward::activated(const Ragged& x, Context& c) const {
  switch (activation_) {
    case FeedForwardActivation::relu:
      return inner_(x.values, c, {.activation = Activation::relu, .dropout = {}});
    case FeedForwardActivation::gelu:
      return gelu(inner_(x.values, c), c);
    case FeedForwardActivation::gelu_tanh:
      return gelu_tanh(inner_(x.values, c), c);
    case FeedForwardActivation::silu:
      return silu(inner_(x.values, c), c);
  }
  fail("feed_forward: unknown activation {}", static_cast<int>(activation_));
}

// Dropout(f(x W₁ + b₁)), or gated
Ragged FeedForward::hidden(const Ragged& x, Context& c) const {
  Tensor inner = activated(x, c);  // [T, d_ff]
  if (gate_) {
    inner = multiply(inner, (*gate_)(x.values, c), c);  // [T, d_ff]
  }
  return x.with(dropout(inner, {c.dropout(dropout_, stream()), *x.layout}, c));
}

bool FeedForward::is_one_op(Context& c) const {
  const bool gelu =
      activation_ == FeedForwardActivation::gelu || activation_ == FeedForwardActivation::gelu_tanh;
  const bool dropped = static_cast<bool>(c.dropout(dropout_, stream()));
  return !gate_ && (activation_ == FeedForwardActivation::relu || (gelu && !dropped)) &&
         !joins_norm(outer_.weight(), c);
}

SubLayerResult FeedForward::operator()(const Ragged& x, Context& c) const {
  if (!is_one_op(c)) {
    return {hidden(x, c), outer_, c};  // [T, d_model]
  }
  const FeedForwardWeights weights{.inner = inner_.weight(),
                                   .inner_bias = inner_.bias(),
                                   .outer = outer_.weight(),
                                   .outer_bias = outer_.bias()};
  if (activation_ == FeedForwardActivation::relu) {
    return x.with(feed_forward(x.values, weights, {c.dropout(dropout_, stream()), *x.layout},
                               c));  // [T, d_model]
  }
  const bool exact = activation_ == FeedForwardActivation::gelu;
  return x.with(feed_forward(x.values, weights, exact ? GeluForm::exact : GeluForm::tanh,
                             c));  // [T, d_model]
}

}  // namespace yona
