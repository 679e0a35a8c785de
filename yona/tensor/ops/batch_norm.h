// Batch normalisation (Ioffe and Szegedy 2015): every column by its mean and variance over all
// tokens of a batch in training, by running ones of them otherwise.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// What a batch norm keeps with the model, [d] each.
struct BatchNormState {
  Tensor weight, bias;
  Tensor running_mean, running_variance;  // written in training; they take no gradient
  float epsilon = 1e-5F;
};

// BN(x) = (x - mean) / √(variance + ε) ∘ weight + bias, columns of x [T, d] over its rows. In
// training (c.training) mean and variance are those of x, and enter the running ones with a share
// of 0.1, once for each pass that is not a repeated one (c.repeats). Otherwise the running ones are
// used.
Tensor batch_norm(const Tensor& x, const BatchNormState& state, Context& c);

}  // namespace yona
