#include "yona/nn/attention/multi_head.h"

#include "yona/tensor/layer_cache.h"
#include "yona/tensor/ops/rms_norm.h"
#include "yona/tensor/ops/rotary.h"

namespace yona {

namespace {

// The two as one, or nothing where there are no biases.
Tensor joined(const Tensor& a, const Tensor& b) { return a ? a.joined(b) : Tensor(); }

}  // namespace

MultiHeadAttention::MultiHeadAttention(std::int64_t d_model, const HeadShape& shape,
                                       const AttentionSpec& spec, const AttentionBiases& biases)
    : shape_(shape),
      output_(shape.heads * shape.d_v, d_model, biases.output),
      attend_(make_attention(spec, shape)),
      shares_keys_(spec.kind == AttentionKind::reformer),
      rotary_(spec.rotary),
      qk_norm_epsilon_(static_cast<float>(spec.qk_norm_epsilon)) {
  check(shape.kv_heads >= 0 && (shape.kv_heads == 0 || shape.heads % shape.kv_heads == 0),
        "attention: {} heads of keys do not divide {} heads", shape.kv_heads, shape.heads);
  check(
      !shares_keys_ || (spec.qk_norm_epsilon == 0.0 && shape.keys() == shape.queries()),
      "model.attention: the queries of reformer are its keys; it takes neither model.kv_heads nor "
      "model.qk_norm");
  query_weight_ = {.shape = {shape.queries(), d_model}, .init = Init::xavier};
  key_weight_ = {.shape = {shape.keys(), d_model}, .init = Init::xavier};
  value_weight_ = {.shape = {shape.values(), d_model}, .init = Init::xavier};
  add("query.weight", query_weight_);
  if (!shares_keys_) {
    add("key.weight", key_weight_);
  }
  add("value.weight", value_weight_);
  if (biases.qkv == Biases::yes) {
    query_bias_.shape = Shape{shape.queries()};
    key_bias_.shape = Shape{shape.keys()};
    value_bias_.shape = Shape{shape.values()};
    add("query.bias", query_bias_);
    if (!shares_keys_) {
      add("key.bias", key_bias_);
    }
    add("value.bias", value_bias_);
  }
  if (spec.qk_norm_epsilon > 0) {
    query_norm_ = {.shape = {shape.d_k}, .init = Init::ones};
    key_norm_ = {.shape = {shape.d_k}, .init = Init::ones};
    add("query_norm.weight", query_norm_);
    add("key_norm.weight", key_norm_);
  }
  add("output", output_);
  add("attend", *attend_);
}

// One product for all three: columns of it are Q, K and V.
MultiHeadAttention::Projected MultiHeadAttention::projected(const Ragged& x, Context& c) const {
  const std::int64_t queries = shape_.queries();
  const std::int64_t keys = shape_.keys();
  const Tensor W = query_weight_.value.joined(key_weight_.value).joined(value_weight_.value);
  const Tensor b = joined(joined(query_bias_.value, key_bias_.value), value_bias_.value);
  const Tensor qkv = linear(x.values, W, b, {}, c);  // [T, h·d_k + h'(d_k + d_v)]
  if (rotary_ != nullptr) {
    rotary(qkv.columns(0, queries + keys), x.layout->positions, rotary_->table(), shape_.d_k, c);
  }
  return {qkv.columns(0, queries), qkv.columns(queries, keys),
          qkv.columns(queries + keys, shape_.values()), qkv.columns(queries, qkv.cols() - queries)};
}

// Q ← RMSNorm(Q), K ← RMSNorm(K), head by head
MultiHeadAttention::Projected MultiHeadAttention::normed(const Ragged& x, Context& c) const {
  const auto norm = [&](const Tensor& heads, const Tensor& weight) {
    const Shape rows{heads.elements() / shape_.d_k, shape_.d_k};
    Tensor result = rms_norm(heads.reshape(rows), weight, qk_norm_epsilon_, c)
                        .reshape(Shape{heads.rows(), heads.cols()});
    if (rotary_ != nullptr) {
      rotary(result, x.layout->positions, rotary_->table(), shape_.d_k, c);
    }
    return result;
  };
  const Tensor Q = norm(linear(x.values, query_weight_.value, query_bias_.value, {}, c),
                        query_norm_.value);  // [T, h·d_k]
  const Tensor K = norm(linear(x.values, key_weight_.value, key_bias_.value, {}, c),
                        key_norm_.value);                                            // [T, h'·d_k]
  const Tensor V = linear(x.values, value_weight_.value, value_bias_.value, {}, c);  // [T, h'·d_v]
  return {Q, K, V, c.cache != nullptr ? attend_->cached(K, V, c) : Tensor()};
}

// K = Q
MultiHeadAttention::Projected MultiHeadAttention::shared(const Ragged& x, Context& c) const {
  const Tensor Q = linear(x.values, query_weight_.value, query_bias_.value, {}, c);  // [T, h·d_k]
  if (rotary_ != nullptr) {
    rotary(Q, x.layout->positions, rotary_->table(), shape_.d_k, c);
  }
  const Tensor V = linear(x.values, value_weight_.value, value_bias_.value, {}, c);  // [T, h·d_v]
  return {Q, Q, V, c.cache != nullptr ? attend_->cached(Q, V, c) : Tensor()};
}

Ragged MultiHeadAttention::heads(const Ragged& x, const Sight& sight, Context& c) const {
  const Projected p = shares_keys_        ? shared(x, c)
                      : query_norm_.value ? normed(x, c)
                                          : projected(x, c);
  if (c.cache != nullptr) {
    const CachedKeys seen = c.cache->append(p.keys_and_values, c);
    return x.with((*attend_)(p.Q, seen, sight, c));  // [rows, h·d_v]
  }
  const Ragged Q = x.with(p.Q);  // [T, h·d_k]
  const Ragged K = x.with(p.K);  // [T, h'·d_k]
  const Ragged V = x.with(p.V);  // [T, h'·d_v]
  show(Q, K, sight, c);
  return (*attend_)(Q, K, V, sight, c);  // [T, h·d_v]
}

Ragged MultiHeadAttention::heads(const Ragged& x, const Ragged& memory, Context& c) const {
  const auto keys_and_values = [&] {
    const Tensor W = key_weight_.value.joined(value_weight_.value);
    const Tensor b = joined(key_bias_.value, value_bias_.value);
    return linear(memory.values, W, b, {}, c);  // [T_m, h'(d_k + d_v)]
  };
  const Ragged Q =
      x.with(linear(x.values, query_weight_.value, query_bias_.value, {}, c));  // [T, h·d_k]
  if (c.cache != nullptr) {
    const CachedKeys seen = c.cache->memory(*memory.layout, keys_and_values, c);
    return x.with((*attend_)(Q.values, seen, Mask::none, c));  // [rows, h·d_v]
  }
  const Tensor kv = keys_and_values();
  const Ragged K = memory.with(kv.columns(0, shape_.keys()));                // [T_m, h'·d_k]
  const Ragged V = memory.with(kv.columns(shape_.keys(), shape_.values()));  // [T_m, h'·d_v]
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
