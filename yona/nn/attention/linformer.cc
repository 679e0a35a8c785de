#include "yona/nn/attention/linformer.h"

#include <cmath>
#include <vector>

#include "yona/tensor/ops/sentence_product.h"

namespace yona {

LinformerAttention::LinformerAttention(const HeadShape& shape, const AttentionSpec& spec)
    : AttentionMechanism(shape, spec.dropout) {
  check(spec.longest > 0, "attention: linformer needs the longest sentence of the model");
  keys_ = {.shape = {spec.sizes.projected_keys, spec.longest}, .init = Init::xavier};
  values_ = {.shape = {spec.sizes.projected_keys, spec.longest}, .init = Init::xavier};
  add("projected_keys", keys_);
  add("projected_values", values_);
}

Ragged LinformerAttention::projected(const Parameter& projection, const Ragged& x,
                                     Context& c) const {
  std::vector<std::int64_t> offsets;
  for (std::int64_t s = 0; s <= x.layout->sentences; ++s) {
    offsets.push_back(s * projection.shape[0]);
  }
  return {sentence_product(projection.value, x, c), make_layout(offsets, {}, c.region)};
}

AttentionOptions LinformerAttention::checked_options(const Sight& sight, Context& c) const {
  check(sight.mask == Mask::none && !sight.bias,
        "attention: linformer has no causal form and takes no relative positions");
  return options(sight, 1.0F / std::sqrt(static_cast<float>(shape_.d_k)), c);
}

Ragged LinformerAttention::operator()(const Ragged& Q, const Ragged& K, const Ragged& V,
                                      const Sight& sight, Context& c) const {
  const AttentionOptions checked = checked_options(sight, c);
  const Ragged E_K = projected(keys_, K, c);    // [S·k, h·d_k]
  const Ragged F_V = projected(values_, V, c);  // [S·k, h·d_v]
  return Q.with(attention(Q.values, E_K.values, F_V.values, Q.layout, E_K.layout, checked,
                          c));  // [T, h·d_v]
}

Tensor LinformerAttention::operator()(const Tensor& /*Q*/, const CachedKeys& /*cache*/,
                                      const Sight& /*sight*/, Context& /*c*/) const {
  fail("attention: linformer has no causal form, and none over a cache");
}

Tensor LinformerAttention::weights(const Ragged& Q, const Ragged& K, const Sight& sight,
                                   Context& c) const {
  const AttentionOptions checked = checked_options(sight, c);
  const Ragged E_K = projected(keys_, K, c);
  return attention_weights(Q.values, E_K.values, Q.layout, E_K.layout, checked, c);
}

}  // namespace yona
