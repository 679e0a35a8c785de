#include "yona/nn/attention/lambda.h"

#include <vector>

#include "yona/tensor/ops/apply_lambdas.h"
#include "yona/tensor/ops/embed.h"

namespace yona {

LambdaAttention::LambdaAttention(const HeadShape& shape, const AttentionSpec& spec)
    : AttentionMechanism(shape, spec.dropout) {
  check(spec.dropout == 0.0, "attention: lambda has no weights to drop; set dropout to 0");
  positions_ = {.shape = {spec.sizes.window / 2 * 2 + 1, shape.d_k}, .init = Init::xavier};
  add("positions", positions_);
  channels_ = {.shape = {shape.d_k, shape.keys()}, .values = [this] {
                 std::vector<double> ones(static_cast<std::size_t>(channels_.shape.elements()));
                 for (std::int64_t i = 0; i < shape_.d_k * shape_.keys(); ++i) {
                   const bool is_one = i / shape_.keys() == i % shape_.keys() % shape_.d_k;
                   ones[static_cast<std::size_t>(i)] = is_one ? 1.0 : 0.0;
                 }
                 return ones;
               }};
  Module::add(channels_);
}

// Row c of a sentence's λ^c is what attention gives the unit vector of channel c as a query: its
// scores are channel c of the keys.
Tensor LambdaAttention::content_lambdas(const Ragged& K, const Ragged& V, Context& c) const {
  std::vector<std::int64_t> offsets;
  for (std::int64_t s = 0; s <= K.layout->sentences; ++s) {
    offsets.push_back(s * shape_.d_k);
  }
  const auto rows = make_layout(offsets, {}, c.region);
  const Tensor queries =
      embed(rows->positions, *rows, channels_.value, {}, {}, c);  // [S·d_k, h'·d_k]
  queries.set_requires_gradient(K.values.requires_gradient());    // all or none
  const AttentionOptions options{.heads = shape_.keys() / shape_.d_k,
                                 .d_k = shape_.d_k,
                                 .d_v = shape_.d_v,
                                 .prefix = {},
                                 .bias = {},
                                 .dropout = {}};
  return attention(queries, K.values, V.values, rows, K.layout, options, c);  // [S·d_k, h'·d_v]
}

Ragged LambdaAttention::operator()(const Ragged& Q, const Ragged& K, const Ragged& V,
                                   const Sight& sight, Context& c) const {
  check(sight.mask == Mask::none && !sight.bias,
        "attention: lambda has no causal form and takes no relative positions of others");
  return Q.with(apply_lambdas(
      Q, content_lambdas(K, V, c), V.values, positions_.value,
      {.heads = shape_.heads, .kv_heads = shape_.kv_heads, .d_k = shape_.d_k, .d_v = shape_.d_v},
      c));  // [T, h·d_v]
}

Tensor LambdaAttention::operator()(const Tensor& /*Q*/, const CachedKeys& /*cache*/,
                                   const Sight& /*sight*/, Context& /*c*/) const {
  fail("attention: lambda has no causal form, and none over a cache");
}

Tensor LambdaAttention::weights(const Ragged& /*Q*/, const Ragged& /*K*/, const Sight& /*sight*/,
                                Context& /*c*/) const {
  fail(
      "attention: lambda layers have no attention weights; what they learn is a matrix for each "
      "query");
}

}  // namespace yona
