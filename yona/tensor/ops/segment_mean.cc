#include "yona/tensor/ops/segment_mean.h"

namespace yona {

namespace {

SegmentMeanArgs mean_args(const Tensor& x, const Tensor& y, const Layout& layout) {
  return {
      .x = x.view(), .y = y.view(), .offsets = layout.offsets_data(), .segments = layout.sentences};
}

}  // namespace

Tensor segment_mean(const Ragged& x, Context& c) {
  Tensor y = c.empty(x.values.dtype(), Shape{x.layout->sentences, x.values.cols()});
  c.kernels().segment_mean(mean_args(x.values, y, *x.layout), c.exec());
  if (records(c, x.values)) {
    y.set_requires_gradient();
    // dx[t] += dy[s] / n_s for the rows t of sequence s
    c.tape->record([x, y, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        const GradientTarget dx = gradient_target(x.values, c.region);
        SegmentMeanArgs args = mean_args(dx.tensor, dy, *x.layout);
        args.accumulate = dx.accumulate;
        c.kernels().segment_mean_backward(args, c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
