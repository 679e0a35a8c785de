// What the loss over a vocabulary, together with its gradients, is given. As in kernel_args.h.
#pragma once

#include "yona/backend/kernel_args.h"

namespace yona {

// Losses of rows x with logits z = x · tableᵀ, as cross_entropy has them, and with dz its gradient
//   dx (+)= dz · table,  dtable (+)= dzᵀ · x.
// The plain composition is matmul, cross_entropy and two more of matmul (vocabulary_loss.h). What
// the memory for logits holds after the call is unspecified.
// A table may have rows after the last of the vocabulary, so that products have an even width: they
// are not tokens, and their gradient is zero.
struct VocabularyLossArgs {
  View x{}, table{};        // [rows, d] and [columns, d]: V ≤ columns < V + 8
  View dx{};                // [rows, d]
  View dtable{};            // [columns, d], optional
  CrossEntropyArgs loss{};  // of [rows, V] logits, which are the first of `logits`, with gradient
  View logits{};            // [rows + kVocabularyMoreRows, columns]: scratch memory
  View workspace{};         // f32 [1, vocabulary_workspace()]
  View table_sums{};  // f32 [1, d]: Σ_j table_j, made by the first call for this table, where
  bool first = true;  // smoothing asks for it, and used by the others
  bool accumulate_dx = false;
  bool accumulate_dtable = false;
  Precision precision = Precision::f32;
};

inline constexpr std::int64_t kVocabularyMoreRows = 8;

// Widths of states for which a GPU may have a fused kernel, which needs the workspace. (Up to 512
// it multiplies 512 deep, and less as slowly: with half of that the composition is as fast.)
inline constexpr std::int64_t kVocabularyMostWidth = 1024;
constexpr bool is_vocabulary_width(std::int64_t d) {
  return d > 256 && d <= kVocabularyMostWidth && d % 8 == 0;
}

// Floats of scratch memory besides the logits.
constexpr std::int64_t vocabulary_workspace(std::int64_t rows, std::int64_t columns,
                                            std::int64_t d) {
  constexpr std::int64_t kRowsOfSums = 32;
  constexpr std::int64_t kColumnsOfSums = 128;
  constexpr std::int64_t kAlignment = 512;  // eight parts begin at multiples of 64
  const std::int64_t states = rows * d + ((rows + kVocabularyMoreRows) * d + 1) / 2;
  const std::int64_t sums = (rows / kRowsOfSums + 1) * d + (columns / kColumnsOfSums + 1) * rows;
  return states + sums + 3 * rows + kAlignment;
}

}  // namespace yona
