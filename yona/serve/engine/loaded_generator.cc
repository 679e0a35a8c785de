#include "yona/serve/engine/loaded_generator.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/inspect/explain_lm.h"
#include "yona/inspect/prompt_attention.h"
#include "yona/io/model_files.h"
#include "yona/serve/service.h"
#include "yona/text/utf8.h"

namespace yona::serve {

namespace {

// Of each number in the cache.
std::int64_t cached_bytes(const Backend& backend, const ComputeType& type) {
  constexpr std::int64_t kHalf = 2;
  return backend.rounds_activations() && type.precision != Precision::f32
             ? kHalf
             : static_cast<std::int64_t>(sizeof(float));
}

// A template that cannot be read is one: requests are answered with the reason.
bool has_chat_template(const std::filesystem::path& folder) {
  try {
    return ChatTemplate::from_folder(tokenizer_folder(folder)).has_value();
  } catch (const jinja::TemplateError&) {
    return true;
  }
}

}  // namespace

GeneratorSummary summary_of(const ServedFolder& place) {
  const LmDescription description = read_lm_description(place.folder);
  const CausalLmConfig& config = description.config;
  return {.id = place.name(),
          .family = std::string(model_type(description.family)),
          .layers = config.layers,
          .heads = config.heads,
          .d_model = config.d_model,
          .vocabulary = config.vocabulary,
          .context = config.max_positions,
          .has_chat = has_chat_template(place.folder)};
}

std::int64_t rough_prompt_tokens(const GenerationJob& job) {
  std::int64_t tokens = job.is_chat() ? rough_tokens(job.messages.dump()) : 0;
  for (const std::string& prompt : job.prompts) {
    tokens += rough_tokens(prompt);
  }
  return tokens;
}

std::int64_t foreseen_new_tokens(const GenerationJob& job, const GeneratorSummary& model,
                                 const GenerationLimits& limits) {
  const std::int64_t each =
      std::min(job.options.max_new.value_or(limits.new_tokens), model.context);
  return static_cast<std::int64_t>(job.prompt_count()) * job.options.answers * each;
}

LoadedGenerator::LoadedGenerator(const std::filesystem::path& folder, Backend& backend,
                                 const ComputeType& asked, const GenerationLimits& limits)
    : limits_(limits), backend_(backend) {
  const ComputeType type = asked.of_language_model(backend.device());
  model_ = LanguageModel::load(folder, backend, type.packing_of(folder));
  try {
    chat_ = ChatTemplate::from_folder(tokenizer_folder(folder));
  } catch (const jinja::TemplateError& error) {
    chat_error_ = error.what();
  }
  // Steps are short, so that running answers continue while prompts are computed.
  constexpr std::int64_t kHostPrefill = 128;
  constexpr std::int64_t kDevicePrefill = 512;
  text_ = std::make_unique<TextGenerator>(
      model_->model(), model_->tokenizer(), backend,
      GeneratorOptions{
          .rules = {.end_ids = end_ids_of(folder, model_->tokenizer(), model_->model().outputs())},
          .max_batch = limits.answers + limits.small_answers,
          .prefill_tokens = backend.on_host() ? kHostPrefill : kDevicePrefill,
          .precision = type.precision});
  const CacheShares shares =
      cache_shares(model_->description().config, limits, cached_bytes(backend, type));
  large_share_ = shares.large;
  generator().reserve(shares.all);
}

std::int64_t cache_tokens(const GenerateRequest& request) {
  return request.answers *
         (static_cast<std::int64_t>(request.prompt.size()) + request.max_new.value_or(0));
}

std::vector<std::int32_t> LoadedGenerator::chat_ids(const GenerationJob& job) const {
  check(chat_error_.empty(), "the model's chat template cannot be used: {}", chat_error_);
  check(chat_.has_value(), "the model has no chat template; use /v1/completions");
  const std::string text = chat_->render(
      {.messages = job.messages, .tools = job.tools, .variables = job.template_variables});
  std::vector<std::int32_t> ids;
  model_->tokenizer().encode(text, ids);  // the template writes the tokens around it itself
  return ids;
}

void LoadedGenerator::set_new_tokens(GenerateRequest& request) const {
  const auto length = static_cast<std::int64_t>(request.prompt.size());
  const std::int64_t context = model_->description().config.max_positions;
  if (!request.max_new) {
    request.max_new = std::clamp<std::int64_t>(context - length, 1, limits_.new_tokens);
  }
}

void LoadedGenerator::check_prompt(const GenerateRequest& request, std::size_t number,
                                   std::size_t count) const {
  try {
    text_->generator().check_request(request);
  } catch (const InvalidArgument& error) {
    if (count == 1) {
      throw;
    }
    yona::fail("prompt {}: {}", number + 1, error.what());
  }
}

std::vector<GenerateRequest> LoadedGenerator::requests_of(const GenerationJob& job) {
  const GenerateRequest common = text_->request_of(job.options);
  check(job.options.answers <= limits_.answers, "\"n\": expected at most {} answers, got {}",
        limits_.answers, job.options.answers);
  std::vector<GenerateRequest> requests(job.prompt_count(), common);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    GenerateRequest& request = requests[i];
    request.prompt = job.is_chat() ? chat_ids(job) : text_->prompt_ids(job.prompts[i]);
    request.sequence = job.options.first_prompt + i;
    set_new_tokens(request);
    check_prompt(request, i, requests.size());
    if (cache_tokens(request) > large_share_) {
      throw HttpError(
          413, fmt::format("{} answers of up to {} tokens with their prompt do not fit "
                           "the KV cache of {} tokens (--kv-cache); ask for a smaller "
                           "\"n\" or \"max_tokens\"",
                           request.answers, cache_tokens(request) / request.answers, large_share_));
    }
  }
  return requests;
}

PromptLook LoadedGenerator::look(const std::string& prompt) const {
  const std::vector<std::int32_t> ids = text_->prompt_ids(prompt);
  PromptLook look{.maps = prompt_attention(model_->model(), backend_, ids)};
  for (const std::int32_t id : ids) {
    look.tokens.push_back(text_of(id, 0).bytes);
  }
  return look;
}

Json LoadedGenerator::explanation(const std::string& prompt, const ExplainedStep& step) const {
  std::vector<std::int32_t> ids = text_->prompt_ids(prompt);
  const auto tokens = static_cast<std::int64_t>(ids.size());
  if (tokens > limits_.explained_tokens) {
    throw HttpError(413, fmt::format("the prompt has {} tokens; a step of at most {} is explained",
                                     tokens, limits_.explained_tokens));
  }
  const ExplainedPrompt asked{.ids = std::move(ids),
                              .layer = step.layer,
                              .head = step.head,
                              .query = step.query.value_or(std::max<std::int64_t>(tokens, 1) - 1)};
  const auto name = [&](std::int32_t id) { return lossy_utf8(text_of(id, 0).bytes); };
  return explanation_json(explain(model_->model(), model_->parameters(), backend_, asked, name));
}

TokenText LoadedGenerator::text_of(std::int32_t token, float logprob) const {
  const TextTokenizer& tokenizer = model_->tokenizer();
  if (token < 0 || token >= tokenizer.size()) {
    return {"", logprob};
  }
  if (tokenizer.is_special(token)) {  // by its name: it has no text of its own
    const auto& added = tokenizer.added();
    const auto found = std::find_if(added.begin(), added.end(),
                                    [&](const auto& each) { return each.id == token; });
    return {found != added.end() ? found->text : "", logprob};
  }
  return {tokenizer.bytes(token), logprob};
}

}  // namespace yona::serve
