#include "yona/tensor/ops/cached_attention.h"

namespace yona {

namespace {

Tensor attend(const Tensor& q, const CachedKeys& keys, const View& vector,
              const AttentionOptions& options, Context& c) {
  const std::int64_t d_keys = options.heads * options.d_k;
  const std::int64_t d_values = options.heads * options.d_v;
  check(q.cols() == d_keys && keys.keys_and_values.cols() == d_keys + d_values,
        "cached_attention: q {} and a cache of {} do not fit {} heads of d_k {} and d_v {}",
        q.shape(), keys.keys_and_values.shape(), options.heads, options.d_k, options.d_v);
  check(keys.counts.elements() == q.rows() &&
            (keys.table ? keys.table.rows() : keys.first.elements()) == q.rows(),
        "cached_attention: {} counts for {} queries", keys.counts.elements(), q.rows());
  check(!keys.fresh || (keys.fresh.rows() == q.rows() && keys.places.elements() == q.rows() &&
                        keys.fresh.cols() == keys.keys_and_values.cols()),
        "cached_attention: new keys {} do not fit {} queries and a cache of {}", keys.fresh.shape(),
        q.rows(), keys.keys_and_values.shape());
  check(!options.bias || (options.bias.rows() == options.heads && options.bias.cols() % 2 == 1),
        "cached_attention: a bias of shape {} is not [{}, 2R+1]", options.bias.shape(),
        options.heads);
  Tensor out = c.empty(q.dtype(), Shape{q.rows(), d_values});
  c.kernels().cached_attention({.q = q.view(),
                                .k = keys.keys_and_values.columns(0, d_keys).view(),
                                .v = keys.keys_and_values.columns(d_keys, d_values).view(),
                                .out = out.view(),
                                .table = keys.table ? keys.table.data<std::int32_t>() : nullptr,
                                .table_stride = keys.table ? keys.table.cols() : 0,
                                .first = keys.table ? nullptr : keys.first.data<std::int64_t>(),
                                .counts = keys.counts.data<std::int32_t>(),
                                .heads = options.heads,
                                .d_k = options.d_k,
                                .d_v = options.d_v,
                                .scale = options.scale,
                                .vector = vector,
                                .fresh = keys.fresh ? keys.fresh.view() : View{},
                                .places = keys.fresh ? keys.places.data<std::int32_t>() : nullptr,
                                .bias = options.bias ? options.bias.view() : View{}},
                               c.exec());
  return out;
}

}  // namespace

Tensor cached_attention(const Tensor& q, const CachedKeys& keys, const AttentionOptions& options,
                        Context& c) {
  return attend(q, keys, {}, options, c);
}

Tensor cached_additive_attention(const Tensor& q, const CachedKeys& keys, const Tensor& vector,
                                 const AttentionOptions& options, Context& c) {
  return attend(q, keys, vector.view(), options, c);
}

}  // namespace yona
