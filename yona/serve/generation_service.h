// What OpenAI's API asks of the language models behind it. serve/engine/generation_engine.h answers
// with real models; tests of the API answer with a made-up one.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/base/json.h"
#include "yona/base/timing.h"
#include "yona/generate/generate_options.h"
#include "yona/inspect/attention_maps.h"
#include "yona/serve/http.h"

namespace yona::serve {

struct GeneratorSummary {
  std::string id{};      // the folder's name
  std::string family{};  // "gpt2"
  std::int64_t layers = 0, heads = 0, d_model = 0, vocabulary = 0;
  std::int64_t context = 0;  // tokens of prompt and answer together
  bool has_chat = false;     // it has a chat template
};

// A token's text, in bytes: it may be a part of a character.
struct TokenText {
  std::string bytes;
  float logprob = 0;
};

// What an answer has grown by: a token, and the text that is certain since.
struct GenerationPiece {
  std::size_t prompt = 0;
  std::int64_t answer = 0;  // of the prompt
  std::string text{};
  std::optional<TokenText> token{};  // empty: the one that ended the text
  std::vector<TokenText> best{};     // where asked for, best first
  std::string finish{};              // "stop" or "length", with the last piece
};

// The attention of every head over a prompt.
struct PromptLook {
  std::vector<std::string> tokens{};  // their bytes
  std::vector<AttentionMap> maps{};   // of each layer
};

// Which step through the model is explained, all from 0: the layer, the head, and the token that
// looks; without one, the last.
struct ExplainedStep {
  std::int64_t layer = 0, head = 0;
  std::optional<std::int64_t> query{};
};

struct GenerationUsage {
  std::int64_t prompt_tokens = 0, completion_tokens = 0;
};

// One request: prompts, each with as many answers as its options say.
class GenerationJob {
 public:
  std::string model;
  std::string client{};                // clients take turns, each however many requests it has
  std::vector<std::string> prompts{};  // texts; without them, a chat
  Json messages = nullptr, tools = nullptr, template_variables = Json::object();
  GenerateOptions options{};
  Clock::time_point deadline = Clock::time_point::max();
  GoneFlag gone{};  // empty: the client cannot leave

  // Where it is set, nothing is generated: it takes the attention over the first prompt.
  std::function<void(const PromptLook&)> look{};
  // The same for one step through the model with the first prompt, as JSON (inspect/explain.h).
  std::function<void(const Json&)> explain{};
  ExplainedStep step{};
  // Called by the thread that computes. Either of the last two comes last, once.
  std::function<void(const GenerationPiece&)> grow;
  std::function<void(const GenerationUsage&)> done;
  std::function<void(const std::exception_ptr&)> failed;

  bool is_look() const { return look || explain; }
  bool is_chat() const { return prompts.empty(); }
  std::size_t prompt_count() const { return is_chat() ? 1 : prompts.size(); }
  bool is_gone() const { return gone && gone->load(std::memory_order_relaxed); }
  bool is_late() const { return Clock::now() > deadline; }
};

class GenerationService {
 public:
  GenerationService() = default;
  virtual ~GenerationService() = default;
  GenerationService(const GenerationService&) = delete;
  GenerationService& operator=(const GenerationService&) = delete;

  virtual std::vector<GeneratorSummary> generators() const = 0;
  // Throws HttpError 404 for a model that is not there, 413 for more work than is allowed, 503 when
  // there is too much to do. What is wrong with the prompt comes through failed().
  virtual void submit(std::shared_ptr<GenerationJob> job) = 0;
  // Would it be refused anyway?
  virtual bool is_full() const = 0;
};

}  // namespace yona::serve
