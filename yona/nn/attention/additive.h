// Additive attention: scores vᵀ tanh(q + k), a feed-forward network with one hidden layer
// (Bahdanau et al. 2015), the paper's other candidate in §3.2.1. O(T²·d) time with a tanh for each
// product; the projections of Q and K are those of multi-head attention.
#pragma once

#include "yona/nn/attention/mechanism.h"

namespace yona {

class AdditiveAttention : public AttentionMechanism {
 public:
  AdditiveAttention(const HeadShape& shape, double dropout);
  Ragged operator()(const Ragged& Q, const Ragged& K, const Ragged& V, const Sight& sight,
                    Context& c) const override;
  Tensor operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                    Context& c) const override;
  Tensor weights(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const override;

 private:
  Parameter vector_;  // [h, d_k]
};

}  // namespace yona
