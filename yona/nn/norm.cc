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

LayerNorm::Result LayerNorm::of_sum(const Residual& x, Context& c) const {
  if (kind_ == NormKind::layer && x.pending()) {
    const ResidualNorm result = residual_norm(x.x_.values, x.r_.values, weight_.value, bias_.value,
                                              epsilon_, x.dropout_, c);
    x.discard(c);
    return {x.x_.with(result.sum), x.x_.with(result.normed)};
  }
  const Ragged sum = x.sum(c);
  return {sum, sum.with(kind_ == NormKind::layer
                            ? layer_norm(sum.values, weight_.value, bias_.value, epsilon_, c)
                            : rms_norm(sum.values, weight_.value, epsilon_, c))};
}

Ragged Residual::sum(Context& c) const {
  if (!pending()) {
    return x_;
  }
  const Tensor result = residual_sum(x_.values, r_.values, dropout_, c);
  discard(c);
  return x_.with(result);
}

void Residual::discard(const Context& c) const {
  const bool is_x = r_.values.storage().get() == x_.values.storage().get();
  if (c.tape != nullptr && !is_x && r_.values.covers_storage()) {
    r_.values.discard_values();
  }
}

}  // namespace yona
