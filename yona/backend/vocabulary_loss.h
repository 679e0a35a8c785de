// The loss over a vocabulary by other kernels of a table: its meaning, and what backends do that
// have no better way, or where theirs does not suit.
#pragma once

#include "yona/backend/kernels.h"

namespace yona {

inline void vocabulary_loss_in_parts(const VocabularyLossArgs& args, const Kernels& table,
                                     Exec& exec) {
  const std::int64_t V = args.loss.logits.cols;
  View z = args.logits;  // [rows, columns]
  z.rows = args.x.rows;
  table.matmul.function()(
      {.a = args.x, .b = args.table, .c = z, .transpose_b = true, .precision = args.precision},
      exec);
  table.cross_entropy.function()(args.loss, exec);
  if (z.cols > V) {
    View beyond = z;
    beyond.data = static_cast<char*>(z.data) + V * static_cast<std::int64_t>(size_of(z.dtype));
    beyond.cols = z.cols - V;
    table.fill.function()({.y = beyond, .value = 0.0F}, exec);
  }
  table.matmul.function()({.a = z,
                           .b = args.table,
                           .c = args.dx,
                           .accumulate = args.accumulate_dx,
                           .precision = args.precision},
                          exec);
  if (args.dtable) {
    table.matmul.function()({.a = z,
                             .b = args.x,
                             .c = args.dtable,
                             .transpose_a = true,
                             .accumulate = args.accumulate_dtable,
                             .precision = args.precision},
                            exec);
  }
}

}  // namespace yona
