// A job whose answer a test waits for, and a small model that all tests of the program share.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "yona/serve/engine/engine.h"

#include "tests/harness/small_model.h"

namespace yona::testing {

inline const SmallModel& shared_model() {
  static const SmallModel model;
  return model;
}

// Sentences that the model has seen.
inline std::vector<std::string> some_lines(std::size_t first, std::size_t count) {
  const auto& lines = shared_model().lines();
  return {lines.begin() + static_cast<std::ptrdiff_t>(first),
          lines.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

inline Backend& shared_backend() {
  static const std::unique_ptr<Backend> backend = make_backend("cpu", {.threads = 2});
  return *backend;
}

inline serve::EngineOptions engine_options() {
  serve::EngineOptions options;
  options.models = {{shared_model().path()}};
  options.workers = {{&shared_backend()}};
  return options;
}

// What becomes of a job.
struct Waiting {
  std::shared_ptr<serve::TranslationJob> job = std::make_shared<serve::TranslationJob>();
  std::future<std::vector<serve::SentenceResult>> results;
};

inline Waiting waiting_job(std::vector<std::string> sentences) {
  Waiting waiting;
  const auto promise = std::make_shared<std::promise<std::vector<serve::SentenceResult>>>();
  waiting.results = promise->get_future();
  waiting.job->model = "en-de";
  waiting.job->sentences = std::move(sentences);
  waiting.job->done = [promise](std::vector<serve::SentenceResult> results) {
    promise->set_value(std::move(results));
  };
  waiting.job->failed = [promise](const std::exception_ptr& error) {
    promise->set_exception(error);
  };
  return waiting;
}

inline std::vector<std::string> best_of(const std::vector<serve::SentenceResult>& results) {
  std::vector<std::string> texts;
  for (const serve::SentenceResult& result : results) {
    texts.push_back(result.n_best.front().text);
  }
  return texts;
}

}  // namespace yona::testing
