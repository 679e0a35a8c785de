#include "yona/tensor/ops/join_columns.h"

namespace yona {

Tensor join_columns(const Tensor& a, const Tensor& b, Context& c) {
  check(a.rows() == b.rows() && a.dtype() == b.dtype(),
        "join_columns: {} of {} and {} of {} cannot be side by side", a.shape(), a.dtype(),
        b.shape(), b.dtype());
  Tensor y = c.empty(a.dtype(), Shape{a.rows(), a.cols() + b.cols()});
  const auto copy = [&c](const Tensor& from, const Tensor& to, bool accumulate) {
    c.kernels().add(
        {.a = from.view(), .b = accumulate ? to.view() : View{}, .y = to.view(), .alpha = 1.0F},
        c.exec());
  };
  copy(a, y.columns(0, a.cols()), false);
  copy(b, y.columns(a.cols(), b.cols()), false);
  if (records(c, a, b)) {
    y.set_requires_gradient();
    // y = [a, b]:  da += dy of the first columns, db += dy of the others
    c.tape->record([a, b, y, copy, &c] {
      const Tensor dy = y.gradient();
      if (!dy) {
        return;
      }
      if (const GradientTarget da = gradient_target(a, c.region); da.tensor) {
        copy(dy.columns(0, a.cols()), da.tensor, da.accumulate);
      }
      if (const GradientTarget db = gradient_target(b, c.region); db.tensor) {
        copy(dy.columns(a.cols(), b.cols()), db.tensor, db.accumulate);
      }
    });
  }
  return y;
}

}  // namespace yona
