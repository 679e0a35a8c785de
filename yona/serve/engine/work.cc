#include "yona/serve/engine/work.h"

#include <algorithm>
#include <cmath>

#include "yona/serve/batch_choice.h"
#include "yona/serve/engine/glossary.h"
#include "yona/serve/engine/step_speed.h"

namespace yona::serve {

namespace {

// How often a sentence may be translated: once more for each use of a term.
std::int64_t most_rounds(const std::string& sentence, const TranslationJob& job,
                         const WorkLimits& limits) {
  const std::size_t uses = uses_of(sentence, job.glossary).size();
  if (uses > limits.uses) {
    throw HttpError(400, fmt::format("\"glossary\": a sentence has {} uses of its terms; {} are "
                                     "allowed at most; send it in parts",
                                     uses, limits.uses));
  }
  return 1 + static_cast<std::int64_t>(uses);
}

constexpr std::int64_t kAttentionPasses = 2;  // it is translated, then looked at

// A large answer with attention waits for requests without it whose texts are not longer.
std::int64_t preemption_weight(const TranslationJob& job, const WorkEstimate& estimate,
                               const WorkLimits& limits) {
  std::int64_t weights = 0;
  for (const std::int64_t tokens : job.tokens) {
    weights += estimate.attention_weights(tokens, tokens);
  }
  return job.attention && weights > limits.small_attention ? kMuchSmaller / kAttentionPasses : 1;
}

}  // namespace

std::int64_t WorkEstimate::output_tokens(const SearchChoice& search,
                                         std::int64_t source_tokens) const {
  const LengthLimit limit =
      search.max_length ? LengthLimit{.factor = 0, .extra = *search.max_length} : options_.limit;
  const double most = std::floor(limit.factor * static_cast<double>(source_tokens)) +
                      static_cast<double>(limit.extra);
  return static_cast<std::int64_t>(
      std::clamp(most, 1.0, static_cast<double>(config_.max_positions)));
}

std::int64_t WorkEstimate::attention_weights(std::int64_t source_tokens,
                                             std::int64_t target_tokens) const {
  return config_.heads * (config_.encoder_layers * source_tokens * source_tokens +
                          config_.decoder_layers * target_tokens * (target_tokens + source_tokens));
}

std::int64_t WorkEstimate::cache_bytes() const {
  constexpr std::int64_t kKeyAndValue = 2 * sizeof(float);
  return config_.decoder_layers * config_.d_model * kKeyAndValue;
}

void check_cache(const SearchChoice& search, std::int64_t source_tokens,
                 const WorkEstimate& estimate, const WorkLimits& limits) {
  const std::int64_t bytes = estimate.of_sentence(search, source_tokens) * estimate.cache_bytes();
  if (bytes > limits.cache_bytes) {
    throw HttpError(
        413,
        fmt::format("{} beams of up to {} tokens take {} MB of memory; {} are allowed at most; ask "
                    "for a smaller \"beam\" or \"max_length\"",
                    estimate.beams(search), estimate.output_tokens(search, source_tokens),
                    bytes >> 20, limits.cache_bytes >> 20));
  }
}

void set_work(TranslationJob& job, const WorkEstimate& estimate, const WorkLimits& limits) {
  if (job.glossary.size() > limits.terms) {
    throw HttpError(400, fmt::format("\"glossary\": expected at most {} terms, got {}",
                                     limits.terms, job.glossary.size()));
  }
  for (const GlossaryTerm& term : job.glossary) {
    if (term.source.size() > limits.term_bytes) {
      throw HttpError(
          400, fmt::format("\"glossary\": the source of a term has more than the {} bytes that are "
                           "allowed",
                           limits.term_bytes));
    }
  }
  job.tokens.clear();
  job.work.clear();
  for (const std::string& sentence : job.sentences) {
    const std::int64_t tokens = rough_tokens(sentence);
    check_cache(job.search, tokens, estimate, limits);
    job.tokens.push_back(tokens);
    job.work.push_back(estimate.of_sentence(job.search, tokens) *
                       most_rounds(sentence, job, limits) * (job.attention ? kAttentionPasses : 1));
  }
  job.preemption_weight = preemption_weight(job, estimate, limits);
  check_work(job.total_work(), limits);
}

void set_work(TaskJob& job, const WorkEstimate& estimate, const WorkLimits& limits) {
  const std::int64_t tokens = rough_tokens(job.request.value("q", ""));
  job.tokens = {tokens};
  if (job.task != "beam") {
    job.work = {WorkEstimate::of_explanation(tokens)};
    return;
  }
  SearchChoice search;
  if (job.request.contains("beam")) {
    search.beam = job.request["beam"].get<std::int64_t>();
  }
  check_cache(search, tokens, estimate, limits);
  job.work = {estimate.of_sentence(search, tokens)};
}

void check_work(std::int64_t work, const WorkLimits& limits) {
  if (work > limits.work) {
    throw HttpError(
        413,
        fmt::format("the request may take {} steps of a beam (beams × output tokens of all its "
                    "sentences); {} are allowed at most; send fewer sentences, or ask for a "
                    "smaller \"beam\" or \"max_length\"",
                    work, limits.work));
  }
}

void check_attention(std::int64_t weights, const WorkLimits& limits) {
  if (weights > limits.attention) {
    throw HttpError(413,
                    fmt::format("\"attention\": the answer would have {} weights or more (heads "
                                "× layers × tokens²); {} are allowed at most; send a shorter "
                                "text",
                                weights, limits.attention));
  }
}

StepLimits step_limits(const TransformerConfig& config, Device device, std::int64_t products) {
  constexpr std::int64_t kDeviceCacheBytes = std::int64_t{8} << 30;
  constexpr std::int64_t kHostCacheBytes = std::int64_t{1} << 30;
  const std::int64_t each = WorkEstimate(config, {}).cache_bytes();
  if (device != Device::cpu) {
    return {.positions = kDeviceCacheBytes / each};
  }
  const std::int64_t layer = 6 * config.d_model * config.d_model + 2 * config.d_model * config.d_ff;
  return {.rows = std::max<std::int64_t>(1, products / products_of_row(config)),
          .tokens = std::max<std::int64_t>(1, products / layer),
          .positions = kHostCacheBytes / each};
}

}  // namespace yona::serve
