// The loss of training: projection onto the vocabulary and label-smoothed cross-entropy in one op,
// in chunks of rows, so that the [tokens, vocabulary] matrix never lives whole.
//
// A loss is where backward starts: the weight of each row in it is known before the forward pass
// (the total weight of the update is), so the gradients of x and of the projection are formed
// chunk by chunk in the forward pass, while the chunk is in cache. Tape::backward() then goes on
// from the gradient of x.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

struct CrossEntropyOptions {
  float smoothing = 0.0F;       // ε_ls of §5.4, spread over the whole vocabulary
  Tensor row_scale{};           // f32 [T]: weight of each row in the loss; needed for gradients
  std::int64_t chunk_rows = 0;  // 0: chosen by the vocabulary's size
  Tensor bias{};                // [V], added to the logits; with a gradient; optional
};

// x [T, d], projection [V, d], targets i32 [T] → [T, 2]: loss and negative log-likelihood per row,
// not weighted. The plain composition is linear, log_softmax and a sum.
Tensor linear_cross_entropy(const Tensor& x, const Tensor& projection, const Tensor& targets,
                            const CrossEntropyOptions& options, Context& c);

// R-Drop (Wu et al. 2021): x and x2 are two passes with different dropout over the same rows. The
// result is [2T, 2]: the rows of the first (with alpha · symmetric KL added), then of the second.
Tensor linear_rdrop(const Tensor& x, const Tensor& x2, const Tensor& projection,
                    const Tensor& targets, float alpha, const CrossEntropyOptions& options,
                    Context& c);

}  // namespace yona
