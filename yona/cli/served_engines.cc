#include "yona/cli/served_engines.h"

#include <algorithm>

#include "yona/base/error.h"
#include "yona/serve/metrics.h"

namespace yona::cli {

namespace {

std::string metric(const char* name, const char* type, const char* help, auto value) {
  return serve::metric_text(name, type, help, static_cast<double>(value));
}

std::string translation_figures(const serve::Engine& engine) {
  const serve::BatcherFigures f = engine.figures();
  return metric("yona_waiting_requests", "gauge", "Requests in the queue.", f.waiting_jobs) +
         metric("yona_waiting_tokens", "gauge", "Their tokens, about.", f.waiting_tokens) +
         metric("yona_batches_total", "counter", "Batches decoded.", f.batches) +
         metric("yona_sentences_total", "counter", "Sentences decoded.", f.sentences) +
         metric("yona_tokens_total", "counter", "Source tokens decoded, about.", f.tokens) +
         metric("yona_busy_seconds_total", "counter", "Time spent decoding.", f.busy_seconds) +
         metric("yona_preemptions_total", "counter", "Batches interrupted for smaller ones.",
                f.preemptions) +
         metric("yona_steps_total", "counter", "Times between places where a batch is preempted.",
                f.steps) +
         metric("yona_long_steps_total", "counter", "Of these, more than 50 ms.", f.long_steps) +
         metric("yona_longest_step_seconds", "gauge", "The longest of these.", f.longest_step) +
         metric("yona_late_total", "counter", "Requests dropped at their deadline.", f.late) +
         metric("yona_gone_total", "counter", "Requests whose clients left.", f.gone);
}

std::string generation_figures(const serve::GenerationEngine& engine) {
  const serve::GenerationFigures f = engine.figures();
  return metric("yona_generation_waiting_requests", "gauge", "Requests for text in the queue.",
                f.waiting_requests) +
         metric("yona_generation_waiting_tokens", "gauge", "Tokens of their prompts, about.",
                f.waiting_tokens) +
         metric("yona_generation_requests", "gauge", "Requests for text under way.", f.requests) +
         metric("yona_generation_answers", "gauge", "Their answers under way.", f.answers) +
         metric("yona_generated_tokens_total", "counter", "New tokens generated.", f.tokens) +
         metric("yona_prompt_tokens_total", "counter", "Prompt tokens of requests begun.",
                f.prompt_tokens) +
         metric("yona_reused_prompt_tokens_total", "counter",
                "Of these, found in the KV cache since the model was loaded.", f.reused_tokens) +
         metric("yona_generation_steps_total", "counter", "Passes of language models.", f.steps) +
         metric("yona_generation_busy_seconds_total", "counter", "Time spent in them.",
                f.busy_seconds) +
         metric("yona_generation_refused_total", "counter", "Requests refused as too many.",
                f.refused) +
         metric("yona_generation_late_total", "counter", "Requests dropped at their deadline.",
                f.late) +
         metric("yona_generation_gone_total", "counter", "Requests whose clients left.", f.gone);
}

}  // namespace

std::vector<std::string> ServedEngines::names() const {
  std::vector<std::string> all;
  for (const serve::ModelSummary& model : translation.models()) {
    all.push_back(model.id);
  }
  for (const auto& model :
       generation ? generation->generators() : std::vector<serve::GeneratorSummary>{}) {
    all.push_back(model.id);
  }
  for (const auto& model : encoding ? encoding->encoders() : std::vector<serve::EncoderSummary>{}) {
    all.push_back(model.id);
  }
  return all;
}

void ServedEngines::check_names() const {
  std::vector<std::string> all = names();
  std::sort(all.begin(), all.end());
  const auto same = std::adjacent_find(all.begin(), all.end());
  check(same == all.end(),
        "--model: two models of different kinds are both named {}; say NAME=DIR for the one that "
        "does not translate",
        same == all.end() ? "" : *same);
}

std::string ServedEngines::metrics() const {
  return translation_figures(translation) + (generation ? generation_figures(*generation) : "") +
         (encoding ? serve::encoder_metrics(encoding->figures()) : "");
}

void ServedEngines::reload() {
  translation.reload();
  if (generation) {
    generation->reload();
  }
  if (encoding) {
    encoding->reload();
  }
}

void ServedEngines::close() {
  translation.close();
  if (generation) {
    generation->close();
  }
  if (encoding) {
    encoding->close();
  }
}

}  // namespace yona::cli
