#include "yona/tensor/ops/embed.h"

namespace yona {

Tensor embed(const Tensor& ids, const Layout& layout, const Tensor& table, const Tensor& positions,
             const EmbedOptions& options, Context& c) {
  check(ids.elements() == layout.tokens, "embed: {} ids for {} tokens", ids.elements(),
        layout.tokens);
  check(!positions || positions.cols() == table.cols(),
        "embed: positions {} do not fit the table {}", positions.shape(), table.shape());
  check(!positions || layout.longest <= positions.rows(),
        "embed: a sentence of {} tokens is longer than the {} positions of the model",
        layout.longest, positions.rows());
  Tensor y = c.empty(table.dtype(), Shape{layout.tokens, table.cols()});
  const auto args = [](const Tensor& ids_, const Tensor& position_ids, const Tensor& table_,
                       const Tensor& positions_, const Tensor& out, const EmbedOptions& o) {
    return EmbedArgs{.ids = ids_.data<std::int32_t>(),
                     .position_ids = position_ids.data<std::int32_t>(),
                     .row_keys = o.dropout.keys(),
                     .table = table_.view(),
                     .positions = positions_ ? positions_.view() : View{},
                     .y = out.view(),
                     .scale = o.scale,
                     .padding_id = o.padding_id,
                     .dropout = o.dropout.dropout};
  };
  c.kernels().embed(args(ids, layout.positions, table, positions, y, options), c.exec());
  if (records(c, table, positions)) {
    y.set_requires_gradient();
    // dE[id] += scale · m ∘ dy,  dP[position] += m ∘ dy
    c.tape->record([ids, position_ids = layout.positions, table, positions, y, options, args, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        c.kernels().embed_backward(
            {.forward = args(ids, position_ids, table, positions, dy, options),
             .table_gradient = gradient_sum(table, c.region),
             .position_gradient = gradient_sum(positions, c.region)},
            c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
