#include "yona/nn/attention/dot_product.h"

#include <cmath>

namespace yona {

float ScaledDotProductAttention::scale() const {
  return 1.0F / std::sqrt(static_cast<float>(shape_.d_k));
}

Ragged ScaledDotProductAttention::operator()(const Ragged& Q, const Ragged& K, const Ragged& V,
                                             const Sight& sight, Context& c) const {
  return Q.with(attention(Q.values, K.values, V.values, Q.layout, K.layout,
                          options(sight, scale(), c), c));  // [T_q, h·d_v]
}

Tensor ScaledDotProductAttention::weights(const Ragged& Q, const Ragged& K, const Sight& sight,
                                          Context& c) const {
  return attention_weights(Q.values, K.values, Q.layout, K.layout, options(sight, scale(), c), c);
}

Tensor ScaledDotProductAttention::operator()(const Tensor& Q, const CachedKeys& cache,
                                             const Sight& sight, Context& c) const {
  return cached_attention(Q, cache, options(sight, scale(), c), c);  // [rows, h·d_v]
}

Ragged UnscaledDotProductAttention::operator()(const Ragged& Q, const Ragged& K, const Ragged& V,
                                               const Sight& sight, Context& c) const {
  return Q.with(attention(Q.values, K.values, V.values, Q.layout, K.layout, options(sight, 1.0F, c),
                          c));  // [T_q, h·d_v]
}

Tensor UnscaledDotProductAttention::operator()(const Tensor& Q, const CachedKeys& cache,
                                               const Sight& sight, Context& c) const {
  return cached_attention(Q, cache, options(sight, 1.0F, c), c);  // [rows, h·d_v]
}

Tensor UnscaledDotProductAttention::weights(const Ragged& Q, const Ragged& K, const Sight& sight,
                                            Context& c) const {
  return attention_weights(Q.values, K.values, Q.layout, K.layout, options(sight, 1.0F, c), c);
}

}  // namespace yona
