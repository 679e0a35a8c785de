// Log-softmax and the best continuations of every sentence's beams, in one op. No backward pass.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

struct TopKOptions {
  std::int64_t k = 1;
  Tensor row_scores;        // f32 [rows]: of the beam so far
  Tensor groups;            // i64 [sentences + 1]: rows of each sentence
  Tensor ban_offsets;       // i64 [rows + 1], optional, with
  Tensor bans;              // i32: tokens that may not come
  bool bans_first = false;  // they take no part in the softmax
  Tensor only;              // i32 [rows], optional: the one token that may come, or -1
  bool normalised = false;  // logits are log-probabilities
};

struct TopK {
  Tensor scores;        // f32 [sentences, k], best first; -infinity where there is no candidate
  Tensor tokens, rows;  // i32 [sentences, k]
  Tensor log_sums;      // f32 [rows]; NaN where the logits are not numbers
};

// logits f32 [rows, V]; banned ones become -infinity. See TopKArgs.
TopK top_k(const Tensor& logits, const TopKOptions& options, Context& c);

// top_k(logits) after the product that writes them, in one kernel where the backend has one for it
// (Kernel::fused). The product has the columns of `logits`, and may have more after them, which may
// be left as they are.
TopK logits_top_k(const MatmulArgs& product, const Tensor& logits, const TopKOptions& options,
                  Context& c);

// top_k(matmul(states, weightᵀ)) with a weight that is in bytes (QuantisedWeights): the matrix of
// logits is never in memory. `options.normalised` is not for it.
TopK projected_top_k(const Tensor& states, const Tensor& weight, const TopKOptions& options,
                     Context& c);

}  // namespace yona
