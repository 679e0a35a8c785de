// The choice of the next token of a generated text from a row of logits: penalties, temperature,
// top-k, top-p and min-p as in Hugging Face's transformers and in OpenAI's API, and a draw that
// depends on nothing but the row and a number. Host code: used where a row of logits is at hand.
//
//   std::vector<float> row = …;                               // logits of the whole vocabulary
//   apply_penalties(row, options, seen);
//   std::int32_t token = choose_token(row, options, number);  // number: sample_number()
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace yona {

struct TokenChoiceOptions {
  double temperature = 0.0;  // 0: the best token, without a draw (greedy search)
  std::int64_t top_k = 0;    // only the k best (and what equals the last of them); 0: all
  double top_p = 1.0;        // of those the fewest best that have p of their probability together
  double min_p = 0.0;        // of those what has at least min_p times the best one's probability
  // Of a token that is in the prompt or the text so far, a positive logit is divided by it and a
  // negative one multiplied (Keskar et al. 2019). 1: none.
  double repetition_penalty = 1.0;
  // Taken off the logit of a token that is in the text so far (not in the prompt): once, and once
  // for each time that it occurs.
  double presence_penalty = 0.0, frequency_penalty = 0.0;

  bool has_penalties() const {
    return repetition_penalty != 1.0 || presence_penalty != 0.0 || frequency_penalty != 0.0;
  }
  bool operator==(const TokenChoiceOptions&) const = default;
};

// Throws InvalidArgument, beginning with `what`, naming the option that is out of its range.
void check_token_choice(const TokenChoiceOptions& options, const char* what);

// How often each token occurs in the prompt and in the text after it.
class SeenTokens {
 public:
  explicit SeenTokens(std::span<const std::int32_t> prompt);
  void add(std::int32_t token) { ++counts_[token]; }
  // token → times in the text after the prompt; 0 for those of the prompt alone.
  const std::unordered_map<std::int32_t, std::int64_t>& counts() const { return counts_; }

 private:
  std::unordered_map<std::int32_t, std::int64_t> counts_;
};

// Changes the logits of tokens that have been seen. Ids beyond the row are ignored.
void apply_penalties(std::span<float> logits, const TokenChoiceOptions& options,
                     const SeenTokens& seen);

// What may be drawn, by rising id, and its probability. At least one token, unless all logits are
// -infinity.
struct KeptTokens {
  std::vector<std::int32_t> ids;
  std::vector<double> probabilities;
};
// temperature (above 0), then top_k, then top_p, then min_p.
KeptTokens kept_tokens(std::span<const float> logits, const TokenChoiceOptions& options);

// The best token of equal ones the first; with a temperature above 0 the one of kept_tokens() whose
// share of [0, 1) `number` falls into. -1 where no logit is above -infinity.
std::int32_t choose_token(std::span<const float> logits, const TokenChoiceOptions& options,
                          double number);

}  // namespace yona
