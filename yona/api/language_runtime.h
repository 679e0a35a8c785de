// What a Model is made of that holds a language model: a backend, the model, and its generator. Not
// installed.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/decode/compute_type.h"
#include "yona/generate/text_generator.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/tasks/language_model/perplexity_figures.h"

namespace yona {

struct LanguageRuntimeOptions {
  std::string device = "cpu";
  int threads = 0;
  ComputeType type{};
  std::int64_t max_batch = 32;
};

// One call at a time; others wait.
class LanguageRuntime {
 public:
  // Throws as make_backend() and LanguageModel::load() do.
  LanguageRuntime(const std::filesystem::path& folder, const LanguageRuntimeOptions& options);

  const LanguageModel& model() const { return *model_; }
  TextGenerator& generator() { return *generator_; }

  // As TextGenerator's.
  std::vector<std::vector<GeneratedText>> generate(const std::vector<std::string>& prompts,
                                                   const GenerateOptions& options,
                                                   const OnPiece& on_piece);
  // As tasks/language_model/perplexity.h has it.
  Perplexity perplexity(const std::string& text, const PerplexityOptions& options);

 private:
  std::mutex mutex_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<LanguageModel> model_;
  std::unique_ptr<TextGenerator> generator_;
};

}  // namespace yona
