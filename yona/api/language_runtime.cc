#include "yona/api/language_runtime.h"

#include "yona/tasks/language_model/perplexity.h"

namespace yona {

LanguageRuntime::LanguageRuntime(const std::filesystem::path& folder,
                                 const LanguageRuntimeOptions& options)
    : backend_(make_backend(options.device, {.threads = options.threads})) {
  const ComputeType type = options.type.of_language_model(backend_->device());
  model_ = LanguageModel::load(folder, *backend_, type.packing_of(folder));
  generator_ = std::make_unique<TextGenerator>(
      model_->model(), model_->tokenizer(), *backend_,
      GeneratorOptions{
          .rules = {.end_ids = end_ids_of(folder, model_->tokenizer(), model_->model().outputs())},
          .max_batch = options.max_batch,
          .precision = type.precision});
}

std::vector<std::vector<GeneratedText>> LanguageRuntime::generate(
    const std::vector<std::string>& prompts, const GenerateOptions& options,
    const OnPiece& on_piece) {
  const std::scoped_lock lock(mutex_);
  return generator_->generate(prompts, options, on_piece);
}

Perplexity LanguageRuntime::perplexity(const std::string& text, const PerplexityOptions& options) {
  const std::scoped_lock lock(mutex_);
  return yona::perplexity(model_->model(), model_->tokenizer(), text, options, *backend_);
}

}  // namespace yona
