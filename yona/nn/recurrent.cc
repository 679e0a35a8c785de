#include "yona/nn/recurrent.h"

#include "yona/tensor/layer_cache.h"
#include "yona/tensor/ops/gather_rows.h"

namespace yona {

Tensor Recurrent::operator()(const Tensor& x, const TimeOrder& order, const Tensor& initial,
                             Context& c) const {
  const Tensor a = input_(gather_rows(x, order.rows, c), c);  // [T, gates · out]
  const Tensor sorted = initial ? gather_rows(initial, order.sentences, c) : Tensor();
  const Tensor states = recurrent(cell_, a, hidden(), sorted, order, c);  // [T, out]
  return gather_rows(states, order.places, c);
}

Tensor Recurrent::step(const Tensor& x, const std::function<Tensor()>& first,
                       std::int64_t sentences, Context& c) const {
  const Tensor a = input_(x, c);  // [rows, gates · out]
  const bool has_cell = cell_ == Cell::lstm;
  RecurrentState before{c.cache->state(first, c), {}};
  if (has_cell) {
    const Shape shape{sentences, before.h.cols()};
    before.c = c.cache->state([&] { return c.zeros(sum_type(a.dtype()), shape); }, c);
  }
  const RecurrentState next = recurrent_step(cell_, a, hidden(), before, c);
  c.cache->keep(next.h);
  if (has_cell) {
    c.cache->keep(next.c);
  }
  return next.h;
}

}  // namespace yona
