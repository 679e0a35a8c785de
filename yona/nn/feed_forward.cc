#include "yona/nn/feed_forward.h"

#include "yona/tensor/ops/dropout.h"
#include "yona/tensor/ops/gelu.h"

namespace yona {

FeedForward::FeedForward(std::int64_t d_model, std::int64_t d_ff, FeedForwardActivation activation,
                         double dropout)
    : inner_(d_model, d_ff), outer_(d_ff, d_model), activation_(activation), dropout_(dropout) {
  add("inner", inner_);
  add("outer", outer_);
}

Ragged FeedForward::operator()(const Ragged& x, Context& c) const {
  const RowDropout drop(c.dropout(dropout_, stream()), *x.layout);
  if (activation_ == FeedForwardActivation::relu) {
    return outer_(inner_(x, c, {.activation = Activation::relu, .dropout = drop}), c);  // [T, d]
  }
  const Tensor hidden = gelu(inner_(x.values, c), c);  // [T, d_ff]
  return outer_(x.with(dropout(hidden, drop, c)), c);  // [T, d]
}

}  // namespace yona
