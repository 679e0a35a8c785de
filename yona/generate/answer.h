// One answer of a request while it is generated: its tokens, its part of the cache, and how the
// next token is chosen from a row of logits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "yona/generate/request.h"
#include "yona/generate/text_stream.h"

namespace yona {

// What tokens add to a text, by id; empty for special ones.
using TokenBytes = std::vector<std::string>;

// Of the model, for all requests.
struct AnswerRules {
  std::vector<std::int32_t> end_ids{};
  std::shared_ptr<const TokenBytes> bytes{};  // null: answers have no text
};

class Answer {
 public:
  // max_new: of the request, once it is decided.
  Answer(RequestId id, std::int64_t number, std::shared_ptr<const GenerateRequest> request,
         std::int64_t max_new, const AnswerRules& rules);

  RequestId id() const { return id_; }
  std::int64_t number() const { return number_; }
  const GenerateRequest& request() const { return *request_; }
  const std::vector<std::int32_t>& tokens() const { return tokens_; }  // prompt and answer
  std::int64_t pending() const { return static_cast<std::int64_t>(tokens_.size()) - cached; }
  bool is_finished() const { return is_finished_; }

  // Is the best token all that is asked of the logits?
  bool takes_best() const;
  // Does the choice depend on nothing but the logits and a number, which number_of_draw() is?
  bool chooses_alone() const;
  // For the draw of the token after `later` more new ones.
  double number_of_draw(std::int64_t later) const;
  std::int64_t left() const { return max_new_ - new_tokens_; }  // new tokens, at most
  // Does it share a constraint with other answers, so that they choose one after another?
  bool has_filter() const { return filter_ != nullptr; }
  // The next token of a row of logits, which is changed. Throws DeviceError where they are not
  // numbers, InvalidArgument where no token can come.
  TokenLogprob choose(std::span<float> logits);
  // Adds a token, and says what has come of it.
  GeneratedToken accept(const TokenLogprob& chosen);
  GeneratedToken fail_with(std::string message);

  std::int64_t first = -1;  // row of the cache
  std::int64_t cached = 0;  // tokens whose keys and values are there

 private:
  bool is_end(std::int32_t token) const;
  void bar(std::span<float> logits);

  RequestId id_;
  std::int64_t number_;
  std::shared_ptr<const GenerateRequest> request_;
  std::int64_t max_new_;
  const AnswerRules& rules_;
  std::vector<std::int32_t> tokens_;
  std::int64_t new_tokens_ = 0;
  bool is_finished_ = false;
  SeenTokens seen_;
  TextStream stream_;
  std::unique_ptr<TokenFilter> filter_;
  std::vector<TokenLogprob> top_;  // of the latest row
};

}  // namespace yona
