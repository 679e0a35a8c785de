// How text is generated, as users say it, and what comes of it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace yona {

struct GenerateOptions {
  // New tokens at most. Not given: 256, or as many as the model's context has room for.
  std::optional<std::int64_t> max_new{};
  double temperature = 0.0;  // 0: always the best token (greedy search)
  std::int64_t top_k = 0;    // sample from the N best; 0: from all
  double top_p = 1.0;        // from the fewest best with this much probability together
  double min_p = 0.0;        // from those with at least this share of the best one's probability
  double repetition_penalty = 1.0;  // divides the logits of tokens that have occurred; 1: none
  double presence_penalty = 0.0;    // taken off the logits of tokens of the answer so far
  double frequency_penalty = 0.0;   // the same for each time that they occur in it
  // Above 1: beam search instead, whose best `answers` are given. It is that of transformers'
  // generate: scores are divided by (new tokens) ^ length_penalty.
  std::int64_t beam = 1;
  double length_penalty = 1.0;
  std::uint64_t seed = 1;           // of draws, which depend on it and on
  std::uint64_t first_prompt = 0;   // the number of the call's first prompt, of the others after it
  std::int64_t answers = 1;         // of each prompt
  std::vector<std::string> stop{};  // strings that end an answer; they are not part of it
  // Log-probabilities: -1: none; else of each token and of that many best ones.
  std::int64_t logprobs = -1;
  std::string json_schema{};  // the answer is JSON of this schema (the schema itself, as text)
  std::string regex{};        // the answer matches this regular expression
  const std::atomic<bool>* interrupt = nullptr;  // when it turns true, the call throws Interrupted
};

struct TokenAlternative {
  std::int32_t token = -1;
  float logprob = 0;
};

// One answer.
struct GeneratedText {
  std::string text{};                  // the continuation alone
  std::vector<std::int32_t> tokens{};  // without the token that ended it
  std::string finish{};                // "stop" or "length"
  std::int64_t prompt_tokens = 0;
  // Where they are asked for, one for each token: log-probabilities of the model, before penalties
  // and temperature.
  std::vector<float> logprobs{};
  std::vector<std::vector<TokenAlternative>> alternatives{};  // best first
};

// Takes a new piece of an answer: prompt and answer from 0. Returns false to end the answers of
// this prompt.
using OnPiece =
    std::function<bool(std::size_t prompt, std::int64_t answer, const std::string& piece)>;

}  // namespace yona
