#include "yona/nn/embedding.h"

#include <cmath>

#include "yona/tensor/ops/dropout.h"
#include "yona/tensor/ops/embed.h"

namespace yona {

TokenTable::TokenTable(std::int64_t vocabulary, std::int64_t d_model, Padding padding)
    : padding_(padding) {
  // Unit variance after the multiplication by √d_model.
  weight_ = {.shape = {vocabulary, d_model},
             .init = Init::normal,
             .deviation = 1.0 / std::sqrt(static_cast<double>(d_model)),
             .zero_row = padding == Padding::barred ? vocabulary - 1 : -1};
  add("weight", weight_);
}

Ragged InputEmbedding::operator()(const Tokens& tokens, Context& c) const {
  const RowDropout drop(c.dropout(options_.dropout, stream()), *tokens.layout);
  const EmbedOptions options{
      .scale = options_.scaled ? std::sqrt(static_cast<float>(table_.weight().cols())) : 1.0F,
      .padding_id = table_.zero_id(),
      .constant_id = options_.constant_id,
      .dropout = options_.norm == nullptr ? drop : RowDropout{}};
  Ragged x = {embed(tokens.ids, *tokens.layout, table_.weight(), positions_.table(), options, c),
              tokens.layout};  // [T, d_model]
  if (options_.norm == nullptr) {
    return x;
  }
  const Ragged normed = (*options_.norm)(x, c);         // [T, d_model]
  return normed.with(dropout(normed.values, drop, c));  // [T, d_model]
}

}  // namespace yona
