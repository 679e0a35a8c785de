#include "yona/tensor/ops/neighbours.h"

namespace yona {

Tensor neighbours(const Tensor& x, const Layout& layout, const Window& window, Context& c) {
  check(x.rows() == layout.tokens, "neighbours: input {} of {} tokens", x.shape(), layout.tokens);
  check(window.width >= 1 && window.dilation >= 1, "neighbours: a window of {} tokens, {} apart",
        window.width, window.dilation);
  Tensor y = c.empty(x.dtype(), Shape{x.rows(), window.width * x.cols()});
  const NeighboursArgs args{.x = x.view(),
                            .y = y.view(),
                            .positions = layout.positions_data(),
                            .width = window.width,
                            .dilation = window.dilation,
                            .first = window.first()};
  c.kernels().neighbours(args, c.exec());
  if (records(c, x)) {
    y.set_requires_gradient();
    // y[t][k] = x[t + first + k · dilation]:  dx[u] += dy[u - first - k · dilation][k]
    c.tape->record([x, y, args, positions = layout.positions, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        const GradientTarget dx = gradient_target(x, c.region);
        c.kernels().neighbours_backward(
            {.forward = args, .dy = dy.view(), .dx = dx.view(), .accumulate = dx.accumulate},
            c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
