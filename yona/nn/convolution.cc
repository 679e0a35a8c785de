#include "yona/nn/convolution.h"

#include "yona/tensor/layer_cache.h"
#include "yona/tensor/ops/join_columns.h"

namespace yona {

// What the cache keeps are the (width - 1) · dilation inputs before the newest, the oldest first.
Tensor Convolution::window(const Ragged& x, std::int64_t sentences, Context& c) const {
  if (c.cache == nullptr || !window_.causal) {
    return neighbours(x.values, *x.layout, window_, c);
  }
  const std::int64_t reach = (window_.width - 1) * window_.dilation;
  if (reach == 0) {
    return x.values;
  }
  const auto nothing = [&] { return c.zeros(x.values.dtype(), Shape{sentences, reach * in_}); };
  const Tensor past = c.cache->state(nothing, c);  // [rows, reach · in]
  Tensor all = join_columns(past, x.values, c);    // [rows, (reach + 1) · in]
  c.cache->keep(all.columns(in_, reach * in_));
  if (window_.dilation == 1) {
    return all;
  }
  Tensor seen = all.columns(0, in_);
  for (std::int64_t k = 1; k < window_.width; ++k) {
    seen = join_columns(seen, all.columns(k * window_.dilation * in_, in_), c);
  }
  return seen;
}

}  // namespace yona
