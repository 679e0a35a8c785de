// Lambda layers (Bello 2021, "LambdaNetworks: modeling long-range interactions without attention"):
// a query is multiplied with a matrix, its lambda, instead of attending to tokens.
//   y_i = (λ^c + λ^p_i)ᵀ q_i                                                     (eq. 1 and 2)
//   λ^c = softmax(K)ᵀ V, the softmax of each channel along the sentence: one for all its tokens
//   λ^p_i = Σ_δ e_δ v_(i+δ)ᵀ, |δ| ≤ w/2: learned vectors of relative positions in a local window
//           (the lambda convolution), shared by the heads
// O(T·d_k·d) time for λ^c and O(T·w·d) for λ^p, in which λ^p_i itself is never formed; memory is
// linear. Each head has keys and values of its own, as in attention; with kv_heads = 1 all queries
// share them, as in the paper. The paper's batch norm of queries and values is left out.
//
// Encoders only: λ^c mixes all tokens, and the window looks ahead. There are no attention weights:
// none to drop, none to show.
#pragma once

#include "yona/nn/attention/mechanism.h"

namespace yona {

class LambdaAttention : public AttentionMechanism {
 public:
  LambdaAttention(const HeadShape& shape, const AttentionSpec& spec);
  Ragged operator()(const Ragged& Q, const Ragged& K, const Ragged& V, const Sight& sight,
                    Context& c) const override;
  // Both are refused by name.
  Tensor operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                    Context& c) const override;
  Tensor weights(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const override;

 private:
  Tensor content_lambdas(const Ragged& K, const Ragged& V, Context& c) const;

  Parameter positions_;  // e: [2 · w/2 + 1, d_k]
  Constant channels_;    // the unit vectors of every head: [d_k, h'·d_k]
};

}  // namespace yona
