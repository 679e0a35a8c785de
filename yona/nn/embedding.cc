#include "yona/nn/embedding.h"

#include <cmath>

#include "yona/tensor/ops/embed.h"

namespace yona {

TokenTable::TokenTable(std::int64_t vocabulary, std::int64_t d_model) {
  // Unit variance after the multiplication by √d_model.
  weight_ = {.shape = {vocabulary, d_model},
             .init = Init::normal,
             .deviation = 1.0 / std::sqrt(static_cast<double>(d_model)),
             .zero_row = vocabulary - 1};
  add("weight", weight_);
}

Ragged InputEmbedding::operator()(const Tokens& tokens, Context& c) const {
  const EmbedOptions options{.scale = std::sqrt(static_cast<float>(table_.weight().cols())),
                             .padding_id = table_.padding_id(),
                             .dropout = RowDropout(c.dropout(dropout_, stream()), *tokens.layout)};
  return {embed(tokens.ids, *tokens.layout, table_.weight(), positions_.table(), options, c),
          tokens.layout};  // [T, d_model]
}

}  // namespace yona
