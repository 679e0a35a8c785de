// What kernels are given: the choice of tokens: the best continuations. Conventions are in
// kernel_args.h.
#pragma once

#include <cstdint>

#include "yona/backend/matmul_args.h"

namespace yona {

// The best continuations of each group of rows (the beams of a sentence). The score of token t
// after row r is row_scores[r] + logits[r, t] - log_sums[r], log_sums[r] = log Σ exp(logits[r, ·]).
// Tokens ban_offsets[r] … ban_offsets[r+1]-1 of `bans` are none of the row's candidates, and count
// in its sum unless `bans_first`. A row with only[r] ≥ 0 has that candidate alone, banned or not.
// Candidates come best first, equal ones by row and token; places for which there is none, or none
// with a probability, have a score of -infinity and a token of -1. Banned logits become -infinity.
struct TopKArgs {
  View logits{};                         // [rows, V]
  const float* row_scores = nullptr;     // [rows]
  const std::int64_t* groups = nullptr;  // [sentences + 1]: rows of each
  std::int64_t sentences = 0;
  const std::int64_t* ban_offsets = nullptr;  // [rows + 1], optional
  const std::int32_t* bans = nullptr;
  bool bans_first = false;
  const std::int32_t* only = nullptr;  // [rows], optional
  bool normalised = false;             // logits are log-probabilities: log_sums are 0, or NaN
  View scores{};                       // f32 [sentences, k]
  View tokens{}, rows{};               // i32 [sentences, k]
  // f32 [1, rows]; NaN where a logit is NaN or +infinity. Not written where the score is -infinity.
  View log_sums{};
};

// top_k of the logits x̂ · weightsᵀ (Int8MatmulArgs), which are never in memory all at once. They
// are int8_matmul's in every bit; log_sums, which are added up in blocks, are top_k's up to
// rounding.
struct Int8TopKArgs {
  View x{};  // f32 [rows, k]
  Int8Weights weights{};
  TopKArgs top_k{};  // of logits only the sizes are read
};

// top_k of logits and the product that they come from, in memory as well. The product begins where
// they do and may have columns after theirs, which need not be written. logits are the product's up
// to rounding, and so are log_sums.
struct LogitsTopKArgs {
  MatmulArgs product{};
  TopKArgs top_k{};
};

struct LogAddArgs {  // y = log(e^a + e^b) + shift: the sum of probabilities; y may be a or b
  View a{}, b{}, y{};
  float shift = 0.0F;
};

}  // namespace yona
