#include "yona/tensor/ops/embed.h"

#include "yona/tensor/packed_weights.h"
#include "yona/tensor/quantised_weights.h"

namespace yona {

namespace {

// All that forward and backward need, kept alive by the tape.
struct Embedded {
  Tensor ids, position_ids, table, positions;
  EmbedOptions options;

  EmbedArgs args(const Tensor& y) const {
    PackedWeights* weights = table.storage()->packed;
    const View packed = weights != nullptr ? weights->packed_table(table) : View{};
    QuantisedWeights* bytes = table.storage()->quantised;
    return {.ids = ids.data<std::int32_t>(),
            .position_ids = position_ids.data<std::int32_t>(),
            .row_keys = options.dropout.keys(),
            .table = packed ? packed : table.view(),
            .positions = positions ? positions.view() : View{},
            .packed = static_cast<bool>(packed),
            .int8 = bytes != nullptr ? bytes->get(table) : Int8Weights{},
            .y = y.view(),
            .scale = options.scale,
            .padding_id = options.padding_id,
            .dropout = options.dropout.dropout};
  }
};

}  // namespace

Tensor embed(const Tensor& ids, const Layout& layout, const Tensor& table, const Tensor& positions,
             const EmbedOptions& options, Context& c) {
  check(options.constant_id < 0 || options.padding_id < 0 ||
            options.constant_id == options.padding_id,
        "embed: ids {} and {} cannot both be without a gradient", options.padding_id,
        options.constant_id);
  check(ids.elements() == layout.tokens, "embed: {} ids for {} tokens", ids.elements(),
        layout.tokens);
  check(!positions || positions.cols() == table.cols(),
        "embed: positions {} do not fit the table {}", positions.shape(), table.shape());
  check(!positions || layout.longest <= positions.rows(),
        "embed: a sentence of {} tokens is longer than the {} positions of the model",
        layout.longest, positions.rows());
  Tensor y = c.empty(c.activation_type(table.dtype()), Shape{layout.tokens, table.cols()});
  const Embedded embedded{ids, layout.positions, table, positions, options};
  c.kernels().embed(embedded.args(y), c.exec());
  if (records(c, table, positions)) {
    y.set_requires_gradient();
    // dE[id] += scale · m ∘ dy,  dP[position] += m ∘ dy
    c.tape->record([embedded, y, &c] {
      if (const Tensor dy = y.gradient(); dy) {
        EmbedArgs forward = embedded.args(dy);
        if (embedded.options.constant_id >= 0) {
          forward.padding_id = embedded.options.constant_id;
        }
        c.kernels().embed_backward(
            {.forward = forward,
             .table_gradient = gradient_sum(embedded.table, c.region),
             .position_gradient = gradient_sum(embedded.positions, c.region)},
            c.exec());
      }
    });
  }
  return y;
}

}  // namespace yona
