// Made-up models for tests of the APIs: every sentence is translated to itself in capitals, and an
// exchange that keeps what it is answered.
#pragma once

#include <algorithm>
#include <cctype>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "yona/serve/application.h"
#include "yona/serve/service.h"

namespace yona::testing {

class FakeExchange : public serve::Exchange {
 public:
  explicit FakeExchange(serve::HttpRequest request) : request_(std::move(request)) {}

  const serve::HttpRequest& request() const override { return request_; }
  serve::GoneFlag gone() const override { return gone_; }
  void respond(serve::HttpResponse given) override {
    ++answers;
    response = std::move(given);
    response.body += response.rest.joined();
  }
  void begin_stream(serve::HttpResponse head) override {
    ++answers;
    response = std::move(head);
    is_stream = true;
  }
  void write(TextPieces part) override { response.body += part.joined(); }
  void end_stream() override { has_ended = true; }

  Json json() const { return Json::parse(response.body); }
  std::string error() const { return json().value("error", ""); }

  serve::HttpResponse response{.status = 0};
  int answers = 0;
  bool is_stream = false, has_ended = false;
  std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);

 private:
  serve::HttpRequest request_;
};

inline std::string capitals(std::string text) {
  for (char& c : text) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return text;
}

// A piece for each word, and </s>.
inline std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    pieces.push_back("▁" + word);
  }
  pieces.emplace_back("</s>");
  return pieces;
}

class FakeService : public serve::Service {
 public:
  std::vector<serve::ModelSummary> models() const override { return summaries; }
  void submit(std::shared_ptr<serve::TranslationJob> job) override {
    last = job;
    if (error) {
      job->fail(error);
      return;
    }
    for (std::size_t i = 0; i < job->sentences.size(); ++i) {
      if (job->progress) {
        job->progress({.sentence = i, .tokens = 1, .token = "▁A", .text = "A"});
      }
      job->finish(i, result_of(*job, i));
    }
  }
  void submit(std::shared_ptr<serve::TaskJob> job) override {
    last_task = job;
    job->done({{"task", job->task}, {"request", job->request}});
  }
  bool is_full() const override { return full; }

  std::vector<serve::ModelSummary> summaries{
      {.id = "en-de",
       .source = "en",
       .target = "de",
       .layers = 2,
       .heads = 4,
       .d_model = 64,
       .vocabulary = 100,
       .family = "yona"},
      {.id = "de-en", .source = "de", .target = "en", .family = "marian"},
      {.id = "en-zh",
       .source = "en",
       .target = "zh",
       .family = "yona",
       .target_has_spaces = false}};
  std::shared_ptr<serve::TranslationJob> last;
  std::shared_ptr<serve::TaskJob> last_task;
  std::exception_ptr error;
  bool full = false;

 private:
  static serve::SentenceResult result_of(const serve::TranslationJob& job, std::size_t i) {
    serve::SentenceResult result;
    for (std::int64_t n = 0; n < job.search.n_best; ++n) {
      const std::string text = capitals(job.sentences[i]) + (n > 0 ? std::to_string(n) : "");
      const std::vector<std::string> tokens = pieces_of(capitals(job.sentences[i]));
      result.n_best.push_back({.text = text,
                               .score = -0.5 - static_cast<double>(n),
                               .log_probability = -2,
                               .tokens = tokens,
                               .token_scores = std::vector<float>(tokens.size(), -1)});
      for (std::size_t k = 0; job.search.alignments && k + 1 < tokens.size(); ++k) {
        result.n_best.back().alignment.emplace_back(k, k);
      }
    }
    result.source_tokens = pieces_of(job.sentences[i]);
    if (job.attention) {
      result.attention =
          std::string(R"({"layers":1,"heads":1,"source_tokens":["▁a"],"target_tokens":["▁A"],
          "decoder_tokens":["<pad>"],"encoder":[[[[1.0]]]],"decoder":[[[[1.0]]]],
          "cross":[[[[1.0]]]]})");
    }
    return result;
  }
};

// What an application is made of beside translation.
struct FakeParts {
  serve::TextLimits limits{};
  serve::Suggestions* suggestions = nullptr;
  serve::GenerationService* generation = nullptr;
  serve::EncoderService* encoding = nullptr;
};

// An application over made-up models, asked without a network.
class FakeServer {
 public:
  explicit FakeServer(const FakeParts& parts)
      : application({.service = service,
                     .keys = keys,
                     .limits = parts.limits,
                     .suggestions = parts.suggestions,
                     .generation = parts.generation,
                     .encoding = parts.encoding},
                    "", [] { return std::string("yona_more 1\n"); }) {}
  explicit FakeServer(serve::TextLimits limits = {}, serve::Suggestions* suggestions = nullptr)
      : FakeServer(FakeParts{.limits = limits, .suggestions = suggestions}) {}

  std::shared_ptr<FakeExchange> ask(serve::HttpRequest request) {
    auto exchange = std::make_shared<FakeExchange>(std::move(request));
    application.handle(exchange);
    return exchange;
  }
  std::shared_ptr<FakeExchange> get(const std::string& path) {
    return ask({.method = "GET", .path = path});
  }
  std::shared_ptr<FakeExchange> post(const std::string& path, const Json& body) {
    return ask({.method = "POST",
                .path = path,
                .content_type = "application/json",
                .body = body.dump(),
                .client = "1.2.3.4"});
  }
  std::shared_ptr<FakeExchange> post_form(const std::string& path, const std::string& form) {
    return ask({.method = "POST",
                .path = path,
                .content_type = "application/x-www-form-urlencoded",
                .body = form});
  }

  // As `curl -F` sends it.
  std::shared_ptr<FakeExchange> post_parts(
      const std::string& path, const std::vector<std::pair<std::string, std::string>>& fields) {
    std::string body;
    for (const auto& [name, value] : fields) {
      body +=
          "--b\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n";
    }
    return ask({.method = "POST",
                .path = path,
                .content_type = "multipart/form-data",
                .boundary = "b",
                .body = body + "--b--\r\n"});
  }

  FakeService service;
  serve::ApiKeys keys;
  serve::Application application;
};

}  // namespace yona::testing
