// What is asked of a Generator, and what it gives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "yona/decode/token_choice.h"

namespace yona {

// Which tokens may come next in one answer: constrained output.
class TokenFilter {
 public:
  TokenFilter() = default;
  virtual ~TokenFilter() = default;
  TokenFilter(const TokenFilter&) = delete;
  TokenFilter& operator=(const TokenFilter&) = delete;

  // Sets the logits of tokens that may not come next to -infinity.
  virtual void bar(std::span<float> logits) = 0;
  virtual void advance(std::int32_t token) = 0;
  // Is the text complete, and can nothing follow?
  virtual bool must_end() = 0;
};

struct GenerateRequest {
  std::vector<std::int32_t> prompt{};  // at least one token
  // New tokens at most. Not given: as many as fit in the context.
  std::optional<std::int64_t> max_new{};
  TokenChoiceOptions choice{};
  // What is drawn depends on these two, the number of the answer and the position in it.
  std::uint64_t seed = 1;
  std::uint64_t sequence = 0;
  std::int64_t answers = 1;  // drawn independently; the prompt is computed once
  std::vector<std::string> stop{};
  // Log-probabilities: -1: none; else of the chosen token and of that many best ones.
  std::int64_t top_logprobs = -1;
  bool ignore_end = false;  // the tokens that end a text never come (for measurements)
  std::function<std::unique_ptr<TokenFilter>()> filter{};  // one for each answer
};

// stop: a token that ends a text, a stop string or the end of a constraint. length: max_new.
// failed: no token can follow; `error` says why.
enum class FinishReason : std::uint8_t { stop, length, failed };
const char* name_of(FinishReason reason);  // "stop", "length", "error"

struct TokenLogprob {
  std::int32_t token = -1;
  float logprob = 0;
};

using RequestId = std::uint64_t;

// A new token of an answer. A token that ends the text is given, too, with is_end.
struct GeneratedToken {
  RequestId request = 0;
  std::int64_t answer = 0;  // which of the request's answers, from 0
  std::int32_t token = -1;
  bool is_end = false;
  // What the answer's text has grown by. It may lag behind the tokens (text_stream.h).
  std::string text{};
  // From the model's logits, before penalties, temperature and constraints; where asked for.
  float logprob = 0;
  std::vector<TokenLogprob> top{};  // best first
  std::optional<FinishReason> finish{};
  std::string error{};  // with FinishReason::failed; there is no token then
};

}  // namespace yona
