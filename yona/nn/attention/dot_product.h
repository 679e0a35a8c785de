// Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V      Vaswani et al. 2017, §3.2.1, eq. 1
// and, for comparison (the same section), without the scale. O(T²·d) time, O(T) memory.
#pragma once

#include "yona/nn/attention/mechanism.h"

namespace yona {

// 1/√d_k, or none.
enum class ScoreScale : std::uint8_t { root_of_width, none };

class DotProductAttention : public AttentionMechanism {
 public:
  DotProductAttention(const HeadShape& shape, double dropout, ScoreScale scale);
  Ragged operator()(const Ragged& Q, const Ragged& K, const Ragged& V, const Sight& sight,
                    Context& c) const override;
  Tensor operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                    Context& c) const override;
  Tensor weights(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const override;

 private:
  float scale_;
};

}  // namespace yona
