// Token embedding times a scale, plus positions, plus dropout (paper §3.4, §3.5, §5.4).
#pragma once

#include "yona/tensor/row_dropout.h"

namespace yona {

struct EmbedOptions {
  float scale = 1.0F;
  std::int32_t padding_id = -1;   // embeds as zero and takes no gradient; -1: there is none
  std::int32_t constant_id = -1;  // takes no gradient; -1: there is none but padding_id
  RowDropout dropout{};
};

// ids i32 [T], table [V, d], positions [P, d] or empty (then no position is added; with a
// gradient when it is a parameter) → [T, d]. Ids and lengths must lie inside the tables.
Tensor embed(const Tensor& ids, const Layout& layout, const Tensor& table, const Tensor& positions,
             const EmbedOptions& options, Context& c);

}  // namespace yona
