#include "yona/nn/attention/multi_head.h"

#include "yona/tensor/layer_cache.h"

namespace yona {

namespace {

// The two as one, or nothing where there are no biases.
Tensor joined(const Tensor& a, const Tensor& b) { return a ? a.joined(b) : Tensor(); }

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::int64_t d_model, const HeadShape& shape,
                                       AttentionKind kind, double dropout, Biases biases)
    : shape_(shape),
      output_(shape.heads * shape.d_v, d_model, biases),
      attend_(make_attention(kind, shape, dropout)) {
  const std::int64_t keys = shape.heads * shape.d_k;
  const std::int64_t values = shape.heads * shape.d_v;
  query_weight_ = {.shape = {keys, d_model}, .init = Init::xavier};
  key_weight_ = {.shape = {keys, d_model}, .init = Init::xavier};
  value_weight_ = {.shape = {values, d_model}, .init = Init::xavier};
  add("query.weight", query_weight_);
  add("key.weight", key_weight_);
  add("value.weight", value_weight_);
  if (biases == Biases::yes) {
    query_bias_.shape = Shape{keys};
    key_bias_.shape = Shape{keys};
    value_bias_.shape = Shape{values};
    add("query.bias", query_bias_);
    add("key.bias", key_bias_);
    add("value.bias", value_bias_);
  }
  add("output", output_);
  add("attend", *attend_);
}

Ragged MultiHeadAttention::heads(const Ragged& x, const Sight& sight, Context& c) const {
  const std::int64_t keys = shape_.heads * shape_.d_k;
  const Tensor W = query_weight_.value.joined(key_weight_.value).joined(value_weight_.value);
  const Tensor b = joined(joined(query_bias_.value, key_bias_.value), value_bias_.value);
  const Tensor qkv = linear(x.values, W, b, {}, c);  // [T, h(2d_k + d_v)]
  if (c.cache != nullptr) {
    const CachedKeys seen = c.cache->append(qkv.columns(keys, qkv.cols() - keys), c);
    return x.with((*attend_)(qkv.columns(0, keys), seen, sight, c));  // [rows, h·d_v]
  }
  const Ragged Q = x.with(qkv.columns(0, keys));                              // [T, h·d_k]
  const Ragged K = x.with(qkv.columns(keys, keys));                           // [T, h·d_k]
  const Ragged V = x.with(qkv.columns(2 * keys, shape_.heads * shape_.d_v));  // [T, h·d_v]
  show(Q, K, sight, c);
  return (*attend_)(Q, K, V, sight, c);  // [T, h·d_v]
}

Ragged MultiHeadAttention::heads(const Ragged& x, const Ragged& memory, Context& c) const {
  const std::int64_t keys = shape_.heads * shape_.d_k;
  const auto keys_and_values = [&] {
    const Tensor W = key_weight_.value.joined(value_weight_.value);
    const Tensor b = joined(key_bias_.value, value_bias_.value);
    return linear(memory.values, W, b, {}, c);  // [T_m, h(d_k + d_v)]
  };
  const Ragged Q =
      x.with(linear(x.values, query_weight_.value, query_bias_.value, {}, c));  // [T, h·d_k]
  if (c.cache != nullptr) {
    const CachedKeys seen = c.cache->memory(*memory.layout, keys_and_values, c);
    return x.with((*attend_)(Q.values, seen, Mask::none, c));  // [rows, h·d_v]
  }
  const Tensor kv = keys_and_values();
  const Ragged K = memory.with(kv.columns(0, keys));                          // [T_m, h·d_k]
  const Ragged V = memory.with(kv.columns(keys, shape_.heads * shape_.d_v));  // [T_m, h·d_v]
  show(Q, K, Mask::none, c);
  return (*attend_)(Q, K, V, Mask::none, c);  // [T, h·d_v]
}

void MultiHeadAttention::show(const Ragged& Q, const Ragged& K, const Sight& sight,
                              Context& c) const {
  if (c.attention != nullptr) {
    c.attention->record(
        {path(), shape_.heads, *Q.layout, *K.layout, attend_->weights(Q, K, sight, c)});
  }
}

}  // namespace yona
