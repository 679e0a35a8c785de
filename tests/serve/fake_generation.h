// Made-up language models for tests of OpenAI's API: a prompt is answered with its words in
// capitals, a token for each, as many as are asked for.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "yona/serve/application.h"
#include "yona/serve/generation_service.h"

#include "tests/serve/fake_service.h"

namespace yona::testing {

class FakeGeneration : public serve::GenerationService {
 public:
  std::vector<serve::GeneratorSummary> generators() const override { return summaries; }
  bool is_full() const override { return full; }
  void submit(std::shared_ptr<serve::GenerationJob> job) override {
    last = job;
    if (refusal) {
      std::rethrow_exception(refusal);
    }
    if (job->look) {  // two words, each of which looks at the first
      job->look({.tokens = {"a", "\xc3"},
                 .maps = {{.part = AttentionPart::decoder,
                           .heads = 1,
                           .queries = 2,
                           .keys = 2,
                           .weights = {1.0F, 0.0F, 1.0F, 0.0F}}}});
      job->done({});
      return;
    }
    if (job->explain) {
      const serve::ExplainedStep& step = job->step;
      job->explain({{"prompt", job->prompts.front()},
                    {"step", {step.layer, step.head, step.query.value_or(-1)}}});
      job->done({});
      return;
    }
    serve::GenerationUsage usage;
    for (std::size_t prompt = 0; prompt < job->prompt_count(); ++prompt) {
      const std::string text =
          job->is_chat() ? text_of(job->messages.back()) : job->prompts[prompt];
      for (std::int64_t answer = 0; answer < job->options.answers; ++answer) {
        if (!give(*job, prompt, answer, text, usage)) {
          job->failed(error);
          return;
        }
      }
      usage.prompt_tokens += static_cast<std::int64_t>(words_of(text).size());
    }
    job->done(usage);
  }

  std::vector<serve::GeneratorSummary> summaries{{.id = "toy",
                                                  .family = "gpt2",
                                                  .layers = 2,
                                                  .heads = 4,
                                                  .d_model = 16,
                                                  .vocabulary = 330,
                                                  .context = 64,
                                                  .has_chat = true}};
  std::shared_ptr<serve::GenerationJob> last;
  std::exception_ptr refusal;  // of submit()
  std::exception_ptr error;    // after the first token
  bool full = false;

 private:
  static std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream stream(text);
    for (std::string word; stream >> word;) {
      words.push_back(word);
    }
    return words;
  }

  // A message's content, or its parts as JSON; none has an empty one.
  static std::string text_of(const Json& message) {
    const Json content = message.value("content", Json(""));
    return content.is_string() ? content.get<std::string>() : content.dump();
  }

  // False: it has failed.
  bool give(const serve::GenerationJob& job, std::size_t prompt, std::int64_t answer,
            const std::string& text, serve::GenerationUsage& usage) const {
    const std::vector<std::string> words = words_of(text);
    const auto most = static_cast<std::size_t>(job.options.max_new.value_or(100));
    const std::size_t count = std::min(words.size(), most);
    for (std::size_t i = 0; i < count; ++i) {
      serve::GenerationPiece piece{
          .prompt = prompt,
          .answer = answer,
          .text = (i > 0 ? " " : "") + capitals(words[i]) + (answer > 0 ? "'" : "")};
      piece.token = serve::TokenText{piece.text, -0.5F};
      for (std::int64_t n = 0; n < job.options.logprobs; ++n) {
        piece.best.push_back({"best" + std::to_string(n), -0.25F - static_cast<float>(n)});
      }
      ++usage.completion_tokens;
      if (i + 1 == count && count == most) {
        piece.finish = "length";
      }
      job.grow(piece);
      if (error) {
        return false;
      }
    }
    if (count < most) {
      job.grow({.prompt = prompt, .answer = answer, .finish = "stop"});
    }
    return true;
  }
};

struct WithFakeGeneration {
  FakeGeneration generation;
};

// An application over made-up models of both kinds, asked without a network.
class FakeGenerationServer : public WithFakeGeneration, public FakeServer {
 public:
  explicit FakeGenerationServer(serve::TextLimits limits = {})
      : FakeServer(FakeParts{.limits = limits, .generation = &generation}) {}

  std::shared_ptr<FakeExchange> complete(const Json& body) { return post("/v1/completions", body); }
  std::shared_ptr<FakeExchange> chat(Json body) {
    if (!body.contains("messages")) {
      body["messages"] = Json::array({{{"role", "user"}, {"content", "one two"}}});
    }
    return post("/v1/chat/completions", body);
  }
};

// {"error": {"message": …}} of an answer.
inline std::string openai_message(const FakeExchange& exchange) {
  return exchange.json().at("error").at("message").get<std::string>();
}

// The objects of a stream of server-sent events, without the last "[DONE]", which must be there.
inline std::vector<Json> events_of(const std::string& body) {
  std::vector<Json> events;
  std::istringstream lines(body);
  bool is_done = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "data: [DONE]") {
      is_done = true;
    } else if (line.starts_with("data: ")) {
      events.push_back(Json::parse(line.substr(6)));
    }
  }
  if (!is_done) {
    events.emplace_back("no [DONE]");
  }
  return events;
}

}  // namespace yona::testing
