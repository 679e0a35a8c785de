#include "yona/tensor/ops/cached_attention.h"

namespace yona {

namespace {

// The columns of keys and of values in a row of the cache.
struct CacheColumns {
  explicit CacheColumns(const AttentionOptions& options)
      : keys(options.heads / options.heads_per_kv() * options.d_k),
        values(options.heads / options.heads_per_kv() * options.d_v) {}
  std::int64_t keys, values;
};

// What scores are made with besides queries and keys; empty for dot products.
struct ScoreWeights {
  Tensor vector{};    // of additive attention
  Tensor features{};  // of attention by random features
};

void check_fit(const Tensor& q, const CachedKeys& keys, const AttentionOptions& options) {
  const CacheColumns columns(options);
  check(q.cols() == options.heads * options.d_k &&
            keys.keys_and_values.cols() == columns.keys + columns.values,
        "cached_attention: q {} and a cache of {} do not fit {} heads of d_k {} and d_v {}",
        q.shape(), keys.keys_and_values.shape(), options.heads, options.d_k, options.d_v);
  const std::int64_t rows = keys.blocks.empty() ? q.rows() : keys.blocks.front().row;
  check(keys.counts.elements() == rows &&
            (keys.table ? keys.table.rows() : keys.first.elements()) == rows,
        "cached_attention: {} counts for {} queries", keys.counts.elements(), rows);
  check(!keys.fresh || (keys.fresh.rows() >= rows && keys.places.elements() == rows &&
                        keys.fresh.cols() == keys.keys_and_values.cols()),
        "cached_attention: new keys {} do not fit {} queries and a cache of {}", keys.fresh.shape(),
        rows, keys.keys_and_values.shape());
  check(!options.bias || (options.bias.rows() == options.heads && options.bias.cols() % 2 == 1),
        "cached_attention: a bias of shape {} is not [{}, 2R+1]", options.bias.shape(),
        options.heads);
}

// The rows with one query each.
void attend_rows(const Tensor& q, const CachedKeys& keys, const ScoreWeights& weights,
                 const AttentionOptions& options, const Tensor& out, Context& c) {
  const CacheColumns columns(options);
  const bool has_fresh = bool{keys.fresh};
  c.kernels().cached_attention(
      {.q = q.view(),
       .k = keys.keys_and_values.columns(0, columns.keys).view(),
       .v = keys.keys_and_values.columns(columns.keys, columns.values).view(),
       .out = out.view(),
       .table = keys.table ? keys.table.data<std::int32_t>() : nullptr,
       .table_stride = keys.table ? keys.table.cols() : 0,
       .first = keys.table ? nullptr : keys.first.data<std::int64_t>(),
       .counts = keys.counts.data<std::int32_t>(),
       .heads = options.heads,
       .heads_per_kv = options.heads_per_kv(),
       .d_k = options.d_k,
       .d_v = options.d_v,
       .scale = options.scale,
       .vector = weights.vector ? weights.vector.view() : View{},
       .features = weights.features ? weights.features.view() : View{},
       .fresh = has_fresh ? keys.fresh.row_range(0, q.rows()).view() : View{},
       .places = has_fresh ? keys.places.data<std::int32_t>() : nullptr,
       .bias = options.bias ? options.bias.view() : View{},
       .pattern = options.pattern},
      c.exec());
}

// The queries of a prompt, over the keys up to each.
Tensor attend_block(const Tensor& q, const CachedKeys& keys, const QueryBlock& block,
                    const Tensor& features, const AttentionOptions& options, Context& c) {
  const CacheColumns columns(options);
  const Tensor rows = block.first < 0
                          ? keys.fresh.row_range(block.row, block.keys->tokens)
                          : keys.keys_and_values.row_range(block.first, block.keys->tokens);
  AttentionOptions causal = options;
  causal.mask = Mask::causal;
  const Tensor Q = q.row_range(block.row, block.queries->tokens);
  const Tensor K = rows.columns(0, columns.keys);
  const Tensor V = rows.columns(columns.keys, columns.values);
  return features ? performer_attention(Q, K, V, features, block.queries, block.keys, causal, c)
                  : attention(Q, K, V, block.queries, block.keys, causal, c);
}

Tensor attend(const Tensor& q, const CachedKeys& keys, const ScoreWeights& weights,
              const AttentionOptions& options, Context& c) {
  check_kv_heads(options, "cached_attention");
  check(!weights.vector || options.heads_per_kv() == 1,
        "cached_attention: {} heads of additive attention cannot share {} heads of keys",
        options.heads, options.kv_heads);
  check(!weights.vector || keys.blocks.empty(),
        "cached_attention: additive attention takes one query of a sequence at a time");
  check_fit(q, keys, options);
  if (keys.blocks.size() == 1 && keys.counts.elements() == 0) {
    return attend_block(q, keys, keys.blocks.front(), weights.features, options, c);
  }
  Tensor out = c.empty(q.dtype(), Shape{q.rows(), options.heads * options.d_v});
  if (const std::int64_t rows = keys.counts.elements(); rows > 0) {
    attend_rows(q.row_range(0, rows), keys, weights, options, out.row_range(0, rows), c);
  }
  for (const QueryBlock& block : keys.blocks) {
    const Tensor part = attend_block(q, keys, block, weights.features, options, c);
    c.kernels().add({.a = part.view(), .y = out.row_range(block.row, part.rows()).view()},
                    c.exec());
  }
  return out;
}

}  // namespace

Tensor cached_attention(const Tensor& q, const CachedKeys& keys, const AttentionOptions& options,
                        Context& c) {
  return attend(q, keys, {}, options, c);
}

Tensor cached_additive_attention(const Tensor& q, const CachedKeys& keys, const Tensor& vector,
                                 const AttentionOptions& options, Context& c) {
  return attend(q, keys, {.vector = vector}, options, c);
}

Tensor cached_performer_attention(const Tensor& q, const CachedKeys& keys, const Tensor& features,
                                  const AttentionOptions& options, Context& c) {
  return attend(q, keys, {.features = features}, options, c);
}

}  // namespace yona
