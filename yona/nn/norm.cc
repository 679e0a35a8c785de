#include "yona/nn/norm.h"

namespace yona {

LayerNorm::LayerNorm(std::int64_t d_model, NormKind kind, float epsilon)
    : kind_(kind), epsilon_(epsilon) {
  weight_.shape = Shape{d_model};
  weight_.init = Init::ones;
  add("weight", weight_);
  if (kind == NormKind::layer) {
    bias_.shape = Shape{d_model};
    add("bias", bias_);
  }
}

Ragged LayerNorm::operator()(const Ragged& x, Context& c) const {
  return x.with(kind_ == NormKind::layer
                    ? layer_norm(x.values, weight_.value, bias_.value, epsilon_, c)
                    : rms_norm(x.values, weight_.value, epsilon_, c));
}

namespace {

void discard(const Ragged& r, const Ragged& x, const Context& c) {
  const bool is_x = r.values.storage().get() == x.values.storage().get();
  if (c.tape != nullptr && !is_x && r.values.covers_storage()) {
    r.values.discard_values();
  }
}

}  // namespace

Ragged ResidualNormLayer::norm_of_sum(const Ragged& x, const Ragged& r, Context& c) const {
  if (kind_ == NormKind::rms) {
    return LayerNorm::operator()(sum(x, r, c), c);
  }
  const RowDropout dropout(c.dropout(dropout_, stream()), *x.layout);
  const ResidualNorm result =
      residual_norm(x.values, r.values, weight_.value, bias_.value, epsilon_, dropout, c);
  discard(r, x, c);
  return x.with(result.normed);
}

Ragged ResidualNormLayer::sum(const Ragged& x, const Ragged& r, Context& c) const {
  const RowDropout dropout(c.dropout(dropout_, stream()), *x.layout);
  const Tensor result = residual_sum(x.values, r.values, dropout, c);
  discard(r, x, c);
  return x.with(result);
}

}  // namespace yona
