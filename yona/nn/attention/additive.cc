#include "yona/nn/attention/additive.h"

namespace yona {

AdditiveAttention::AdditiveAttention(const HeadShape& shape, double dropout)
    : AttentionMechanism(shape, dropout) {
  vector_.shape = Shape{shape.heads, shape.d_k};
  vector_.init = Init::xavier;
  add("vector", vector_);
}

Ragged AdditiveAttention::operator()(const Ragged& Q, const Ragged& K, const Ragged& V,
                                     const Sight& sight, Context& c) const {
  return Q.with(additive_attention(Q.values, K.values, V.values, vector_.value, Q.layout, K.layout,
                                   options(sight, 1.0F, c), c));  // [T_q, h·d_v]
}

Tensor AdditiveAttention::operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                                     Context& c) const {
  return cached_additive_attention(Q, cache, vector_.value, options(sight, 1.0F, c), c);
}

Tensor AdditiveAttention::weights(const Ragged& Q, const Ragged& K, const Sight& sight,
                                  Context& c) const {
  return additive_attention_weights(Q.values, K.values, vector_.value, Q.layout, K.layout,
                                    options(sight, 1.0F, c), c);
}

}  // namespace yona
