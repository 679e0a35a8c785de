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

// How the next token of a row is chosen; decode/token_choice.h describes each number.
struct TokenChoiceNumbers {
  double temperature = 0.0;  // 0: the best token
  double top_p = 1.0;
  double min_p = 0.0;
  std::int64_t top_k = 0;
};

// What goes into a step of generation whose state stays on the device, by row.
struct GenerateRows {
  std::int32_t* ids = nullptr;        // [rows]: the newest token
  std::int32_t* positions = nullptr;  // [rows]: its position
  std::int32_t* counts = nullptr;     // [rows]: how many rows of the cache it goes on from
  std::int32_t* places = nullptr;     // [rows]: its own row of the cache; -1: there is no answer
  std::int32_t* steps = nullptr;      // [rows]: steps so far
};

// Chooses the next token of each row from its logits, as choose_token() does, and makes the row of
// the next step. tokens[steps[r], r] becomes the token: -1 where no logit is above -infinity, -2
// where one is NaN or +infinity; then 0 goes into the next step.
struct NextTokensArgs {
  View logits{};                                // f32 [rows, V]
  const TokenChoiceNumbers* choices = nullptr;  // [rows]
  const double* numbers = nullptr;              // [steps, rows]: in [0, 1), for draws
  GenerateRows rows{};
  std::int32_t* tokens = nullptr;  // [steps, rows]
};

struct LogAddArgs {  // y = log(e^a + e^b) + shift: the sum of probabilities; y may be a or b
  View a{}, b{}, y{};
  float shift = 0.0F;
};

}  // namespace yona
