// A job for a language model whose answers a test waits for, and a small model that all tests of
// the program share.
#pragma once

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "yona/serve/engine/generation_engine.h"

#include "tests/harness/language_folder.h"

namespace yona::testing {

inline const LanguageFolder& shared_language_folder() {
  static const LanguageFolder folder;
  return folder;
}

inline serve::GenerationEngineOptions generation_options() {
  serve::GenerationEngineOptions options;
  options.models = {{shared_language_folder().path(), "toy"}};
  options.loading.threads = 2;
  options.limits.cache_bytes = 1 << 22;
  return options;
}

// A job, and what becomes of it.
struct Generating {
  std::shared_ptr<serve::GenerationJob> job = std::make_shared<serve::GenerationJob>();
  std::future<serve::GenerationUsage> usage;
  // By prompt and answer; complete once the usage is there.
  std::shared_ptr<std::map<std::pair<std::size_t, std::int64_t>, std::string>> texts =
      std::make_shared<std::map<std::pair<std::size_t, std::int64_t>, std::string>>();
  std::shared_ptr<std::vector<serve::GenerationPiece>> pieces =
      std::make_shared<std::vector<serve::GenerationPiece>>();

  std::string text() {
    usage.get();
    return (*texts)[{0, 0}];
  }
  // The status of the HttpError that it ended with; 0: with something else.
  int status() {
    try {
      usage.get();
    } catch (const serve::HttpError& error) {
      return error.status;
    } catch (...) {
    }
    return 0;
  }
};

// `grown` is called by the thread that computes, after each piece.
inline Generating generating(std::vector<std::string> prompts, const GenerateOptions& options,
                             const std::function<void()>& grown = {}) {
  Generating result;
  result.job->model = "toy";
  result.job->prompts = std::move(prompts);
  result.job->options = options;
  const auto promise = std::make_shared<std::promise<serve::GenerationUsage>>();
  result.usage = promise->get_future();
  result.job->grow = [texts = result.texts, pieces = result.pieces,
                      grown](const serve::GenerationPiece& piece) {
    (*texts)[{piece.prompt, piece.answer}] += piece.text;
    pieces->push_back(piece);
    if (grown) {
      grown();
    }
  };
  result.job->done = [promise](const serve::GenerationUsage& usage) { promise->set_value(usage); };
  result.job->failed = [promise](const std::exception_ptr& error) {
    promise->set_exception(error);
  };
  return result;
}

}  // namespace yona::testing
