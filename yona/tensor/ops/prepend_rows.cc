#include "yona/tensor/ops/prepend_rows.h"

namespace yona {

Ragged prepend_rows(const Ragged& x, const Tensor& first,
                    const std::shared_ptr<const Layout>& layout, Context& c) {
  const std::int64_t sequences = x.layout->sentences;
  check(first.cols() == x.values.cols() && first.dtype() == sum_type(x.values.dtype()),
        "prepend_rows: rows {} of {} do not fit {} of {}", first.shape(), first.dtype(),
        x.values.shape(), x.values.dtype());
  check(layout->sentences == sequences && layout->tokens == x.tokens() + sequences * first.rows(),
        "prepend_rows: a layout of {} sequences and {} rows is not that of {} and {} with {} more "
        "in each",
        layout->sentences, layout->tokens, sequences, x.tokens(), first.rows());
  Tensor y = c.empty(x.values.dtype(), Shape{layout->tokens, first.cols()});
  c.kernels().prepend_rows({.x = x.values.view(),
                            .first = first.view(),
                            .y = y.view(),
                            .offsets = x.layout->offsets_data(),
                            .sequences = sequences},
                           c.exec());
  if (records(c, x.values, first)) {
    y.set_requires_gradient();
    // dx: its rows of dy;  dfirst[i] += Σ_s dy[row i of sequence s]
    c.tape->record([x, first, y, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        const GradientTarget dx = gradient_target(x.values, c.region);
        c.kernels().prepend_rows_backward({.dy = dy.view(),
                                           .dx = dx.view(),
                                           .dfirst = gradient_sum(first, c.region),
                                           .first_rows = first.rows(),
                                           .offsets = x.layout->offsets_data(),
                                           .sequences = x.layout->sentences,
                                           .accumulate_dx = dx.accumulate},
                                          c.exec());
      }
    });
  }
  return {y, layout};
}

}  // namespace yona
