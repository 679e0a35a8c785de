#include "yona/tensor/ops/rotary.h"

namespace yona {

void rotary(const Tensor& x, const Tensor& positions, const Tensor& table, std::int64_t d_k,
            Context& c) {
  check(d_k > 0 && x.cols() % d_k == 0, "rotary: {} columns are not heads of {}", x.cols(), d_k);
  check(table.cols() % 2 == 0 && table.cols() <= d_k,
        "rotary: a table of {} columns does not fit heads of {}", table.cols(), d_k);
  check(table.dtype() == sum_type(x.dtype()), "rotary: a table of {} does not fit {}",
        table.dtype(), x.dtype());
  check(positions.elements() == x.rows() && positions.dtype() == DType::i32,
        "rotary: {} positions of {} for {} rows", positions.elements(), positions.dtype(),
        x.rows());
  const auto turn = [positions, table, d_k, &c](const Tensor& rows, bool inverse) {
    c.kernels().rotary({.x = rows.view(),
                        .table = table.view(),
                        .positions = positions.data<std::int32_t>(),
                        .d_k = d_k,
                        .inverse = inverse},
                       c.exec());
  };
  turn(x, false);
  if (records(c, x)) {
    // y = R x with R orthogonal: dx = Rᵀ dy
    c.tape->record([x, turn] {
      if (const Tensor dx = x.gradient(); dx) {
        turn(dx, true);
      }
    });
  }
}

}  // namespace yona
