// Answers of OpenAI's API: whole, as server-sent events, and errors in its format.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "yona/serve/generation_service.h"
#include "yona/serve/http.h"

namespace yona::serve {

// {"error": {"message": …, "type": "invalid_request_error", "param": null, "code": null}}
HttpResponse openai_error(const std::exception_ptr& error);

enum class OpenAiKind : std::uint8_t { completion, chat };

struct OpenAiAnswerOptions {
  OpenAiKind kind = OpenAiKind::completion;
  std::string model{};
  std::int64_t answers = 1;  // of each prompt
  std::size_t prompts = 1;
  bool has_logprobs = false;
  bool streams = false;
  bool includes_usage = false;  // in a stream
};

// Collects what a job gives and answers its request. One thread at a time.
class OpenAiAnswer {
 public:
  OpenAiAnswer(std::shared_ptr<Exchange> exchange, OpenAiAnswerOptions options);

  void grow(const GenerationPiece& piece);
  void end(const GenerationUsage& usage);
  void fail(const std::exception_ptr& error);

 private:
  struct Choice {
    std::string text{}, finish{};
    std::vector<Json> tokens{};  // log-probabilities, in the chat's format
    std::size_t characters = 0;  // so far, of a stream with log-probabilities
    bool has_begun = false;
  };

  bool is_chat() const { return options_.kind == OpenAiKind::chat; }
  Json frame(const char* object) const;
  // Log-probabilities of some tokens, in the format of the kind; `offset` is where they begin in
  // the text.
  Json logprobs_json(const std::vector<Json>& tokens, std::size_t offset) const;
  Json choice_json(const Choice& choice, std::size_t index) const;
  Json chunk_json(const Json& delta, const GenerationPiece& piece, std::size_t index,
                  const Json& logprobs) const;
  void write(const Json& data);

  const std::shared_ptr<Exchange> exchange_;
  const OpenAiAnswerOptions options_;
  const std::string id_;
  const std::int64_t created_;
  std::vector<Choice> choices_;
  bool has_begun_ = false;  // the stream
};

}  // namespace yona::serve
