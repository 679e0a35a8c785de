#include "yona/tensor/ops/dropout.h"

namespace yona {

Tensor dropout(const Tensor& x, const RowDropout& options, Context& c) {
  if (!options) {
    return x;
  }
  check(options.row_keys.elements() == x.rows(), "dropout: {} row keys for input {}",
        options.row_keys.elements(), x.shape());
  Tensor y = c.empty(x.dtype(), Shape{x.rows(), x.cols()});
  c.kernels().dropout(
      {.x = x.view(), .y = y.view(), .row_keys = options.keys(), .dropout = options.dropout},
      c.exec());
  if (records(c, x)) {
    y.set_requires_gradient();
    // y = m ∘ x / (1-p):  dx = m ∘ dy / (1-p)
    c.tape->record([x, y, options, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        const GradientTarget dx = gradient_target(x, c.region);
        c.kernels().dropout({.x = dy.view(),
                             .y = dx.view(),
                             .row_keys = options.keys(),
                             .dropout = options.dropout,
                             .accumulate = dx.accumulate},
                            c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
