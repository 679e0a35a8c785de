// A language model of the server, loaded: its weights, its tokeniser, its chat template and the
// generator that answers run in.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yona/generate/chat_template.h"
#include "yona/generate/text_generator.h"
#include "yona/io/causal_lm/language_model.h"
#include "yona/serve/engine/generation_limits.h"
#include "yona/serve/engine/served_folder.h"
#include "yona/serve/generation_service.h"

namespace yona::serve {

// From the folder's files, without its weights. Throws as read_lm_description().
GeneratorSummary summary_of(const ServedFolder& place);

// What a job may take, foreseen without its model: tokens of its prompts, about, and new ones of
// all answers at most.
std::int64_t rough_prompt_tokens(const GenerationJob& job);
std::int64_t foreseen_new_tokens(const GenerationJob& job, const GeneratorSummary& model,
                                 const GenerationLimits& limits);

// What a request takes of the cache: its prompt and new tokens, for each answer.
std::int64_t cache_tokens(const GenerateRequest& request);

// For one thread at a time.
class LoadedGenerator {
 public:
  // The backend must outlive this object. Throws as LanguageModel::load().
  LoadedGenerator(const std::filesystem::path& folder, Backend& backend, const ComputeType& type,
                  const GenerationLimits& limits);

  Generator& generator() { return text_->generator(); }
  // Tokens of the cache that requests which are not small may use.
  std::int64_t large_share() const { return large_share_; }
  // What a job asks of the generator, for each of its prompts, with max_new. Throws InvalidArgument
  // for what cannot be, also where the chat template refuses the messages, and HttpError 413 for
  // answers that the cache has no room for.
  std::vector<GenerateRequest> requests_of(const GenerationJob& job);
  // Throws InvalidArgument for a prompt that is too long to be shown.
  PromptLook look(const std::string& prompt) const;
  // Throws HttpError 413 for a prompt of more tokens than are explained, and as explain() does
  // (inspect/explain_lm.h).
  Json explanation(const std::string& prompt, const ExplainedStep& step) const;
  TokenText text_of(std::int32_t token, float logprob) const;

 private:
  std::vector<std::int32_t> chat_ids(const GenerationJob& job) const;
  void set_new_tokens(GenerateRequest& request) const;
  void check_prompt(const GenerateRequest& request, std::size_t number, std::size_t count) const;

  const GenerationLimits limits_;
  Backend& backend_;
  std::unique_ptr<LanguageModel> model_;
  std::optional<ChatTemplate> chat_;
  std::string chat_error_;  // why the template cannot be used
  std::int64_t large_share_ = 0;
  std::unique_ptr<TextGenerator> text_;
};

}  // namespace yona::serve
