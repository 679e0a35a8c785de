#include "yona/nn/attention/sparse.h"

#include <cmath>

namespace yona {

SparseAttention::SparseAttention(const HeadShape& shape, const AttentionSpec& spec)
    : AttentionMechanism(shape, spec.dropout), kind_(spec.kind), sizes_(spec.sizes) {}

// The blocks that are drawn depend on the module's path alone: a saved model has the same ones.
AttentionPattern SparseAttention::pattern(Mask mask) const {
  const bool is_causal = mask != Mask::none;
  AttentionPattern pattern;
  if (kind_ == AttentionKind::window || kind_ == AttentionKind::dilated) {
    pattern.before = is_causal ? sizes_.window - 1 : sizes_.window / 2;
    pattern.after = is_causal ? 0 : sizes_.window / 2;
    pattern.dilation = kind_ == AttentionKind::dilated ? sizes_.dilation : 1;
    return pattern;
  }
  pattern.block = sizes_.block;
  if (kind_ == AttentionKind::sparse) {
    pattern.neighbours = 1;
    pattern.global_blocks = sizes_.global_blocks;
    pattern.random_blocks = sizes_.random_blocks;
    pattern.seed = stream();
    pattern.earlier = is_causal;
  }
  return pattern;
}

AttentionOptions SparseAttention::sparse_options(const Sight& sight, Context& c) const {
  AttentionOptions result = options(sight, 1.0F / std::sqrt(static_cast<float>(shape_.d_k)), c);
  result.pattern = pattern(sight.mask);
  return result;
}

Ragged SparseAttention::operator()(const Ragged& Q, const Ragged& K, const Ragged& V,
                                   const Sight& sight, Context& c) const {
  return Q.with(attention(Q.values, K.values, V.values, Q.layout, K.layout,
                          sparse_options(sight, c), c));  // [T, h·d_v]
}

Tensor SparseAttention::operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                                   Context& c) const {
  return cached_attention(Q, cache, sparse_options(sight, c), c);  // [rows, h·d_v]
}

Tensor SparseAttention::weights(const Ragged& Q, const Ragged& K, const Sight& sight,
                                Context& c) const {
  return attention_weights(Q.values, K.values, Q.layout, K.layout, sparse_options(sight, c), c);
}

}  // namespace yona
