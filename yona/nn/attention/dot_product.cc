#include "yona/nn/attention/dot_product.h"

#include <cmath>

namespace yona {

DotProductAttention::DotProductAttention(const HeadShape& shape, double dropout, ScoreScale scale)
    : AttentionMechanism(shape, dropout),
      scale_(scale == ScoreScale::none ? 1.0F : 1.0F / std::sqrt(static_cast<float>(shape.d_k))) {}

Ragged DotProductAttention::operator()(const Ragged& Q, const Ragged& K, const Ragged& V,
                                       const Sight& sight, Context& c) const {
  return Q.with(attention(Q.values, K.values, V.values, Q.layout, K.layout,
                          options(sight, scale_, c), c));  // [T_q, h·d_v]
}

Tensor DotProductAttention::operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                                       Context& c) const {
  return cached_attention(Q, cache, options(sight, scale_, c), c);  // [rows, h·d_v]
}

Tensor DotProductAttention::weights(const Ragged& Q, const Ragged& K, const Sight& sight,
                                    Context& c) const {
  return attention_weights(Q.values, K.values, Q.layout, K.layout, options(sight, scale_, c), c);
}

}  // namespace yona
