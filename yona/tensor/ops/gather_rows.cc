#include "yona/tensor/ops/gather_rows.h"

namespace yona {

Tensor gather_rows(const Tensor& x, const Tensor& rows, Context& c) {
  check(rows.dtype() == DType::i32, "gather_rows: numbers of rows are {}, not i32", rows.dtype());
  Tensor y = c.empty(x.dtype(), Shape{rows.elements(), x.cols()});
  c.kernels().gather_rows({.x = x.view(), .y = y.view(), .rows = rows.data<std::int32_t>()},
                          c.exec());
  if (records(c, x)) {
    y.set_requires_gradient();
    // dx[rows[i]] += dy[i]
    c.tape->record([x, rows, y, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        const GradientTarget dx = gradient_target(x, c.region);
        c.kernels().gather_rows_backward({.dy = dy.view(),
                                          .dx = dx.view(),
                                          .rows = rows.data<std::int32_t>(),
                                          .accumulate = dx.accumulate},
                                         c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
