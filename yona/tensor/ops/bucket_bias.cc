#include "yona/tensor/ops/bucket_bias.h"

namespace yona {

Tensor bucket_bias(const Tensor& table, const Tensor& buckets, Context& c) {
  check(buckets.elements() % 2 == 1, "bucket_bias: {} distances are not 2R+1", buckets.elements());
  Tensor y = c.empty(table.dtype(), Shape{table.cols(), buckets.elements()});
  c.kernels().bucket_bias(
      {.buckets = buckets.data<std::int32_t>(), .table = table.view(), .y = y.view()}, c.exec());
  if (records(c, table)) {
    y.set_requires_gradient();
    // dtable[bucket of r, h] += dy[h, r]
    c.tape->record([table, buckets, y, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        c.kernels().bucket_bias_backward({.buckets = buckets.data<std::int32_t>(),
                                          .table = gradient_sum(table, c.region),
                                          .y = dy.view()},
                                         c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
