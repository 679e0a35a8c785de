// What softmax, log-softmax and gelu share: an op that maps a row to a row of the same size.
#pragma once

#include "yona/tensor/context.h"

namespace yona {

enum class Saves : bool { input, output };

// y = forward(x); backward gets x or y as `saved`, whichever its rule is written in.
inline Tensor map_rows(const Tensor& x, Kernel<RowsArgs> Kernels::*forward,
                       Kernel<RowsBackwardArgs> Kernels::*backward, Saves saves, Context& c) {
  Tensor y = c.empty(x.dtype(), x.shape());
  (c.kernels().*forward)({.x = x.view(), .y = y.view()}, c.exec());
  if (records(c, x)) {
    y.set_requires_gradient();
    c.tape->record([x, y, backward, saves, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        const GradientTarget dx = gradient_target(x, c.region);
        (c.kernels().*backward)({.saved = saves == Saves::output ? y.view() : x.view(),
                                 .dy = dy.view(),
                                 .dx = dx.view(),
                                 .accumulate = dx.accumulate},
                                c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
