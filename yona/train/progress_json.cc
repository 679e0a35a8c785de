#include "yona/train/progress_json.h"

#include <cmath>
#include <utility>

#include "yona/base/json.h"
#include "yona/train/bench_timing.h"

namespace yona {

namespace {

// Numbers that are not finite become null; bytes that are not UTF-8 (in paths) are replaced.
std::string json_line(const Json& event) {
  return event.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json null_or(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string_view name_of(MessageLevel level) {
  switch (level) {
    case MessageLevel::info:
      return "info";
    case MessageLevel::warning:
      return "warning";
    case MessageLevel::error:
      return "error";
  }
  return "?";
}

}  // namespace

JsonReporter::JsonReporter(Write write, std::int64_t log_every)
    : write_(std::move(write)), log_every_(log_every), meter_(log_every) {}

// Fields have the names that they had when every run learned to translate: other programs read
// them. docs/command-line.md says what they are with other tasks.
void JsonReporter::started(const RunPlan& plan) {
  meter_.begin(plan.first_update);
  write_(json_line({{"event", "started"},
                    {"model", plan.model},
                    {"parameters", plan.parameters},
                    {"frozen_parameters", plan.frozen_parameters},
                    {"source_vocabulary", plan.input_vocabulary},
                    {"target_vocabulary", plan.output_vocabulary},
                    {"pairs", plan.examples},
                    {"peak_memory_bytes", plan.peak_memory_bytes},
                    {"device_memory_bytes", plan.device_memory_bytes},
                    {"first_update", plan.first_update},
                    {"updates", plan.updates},
                    {"epochs", plan.epochs},
                    {"seconds", plan.seconds},
                    {"batch_tokens", plan.batch_tokens},
                    {"accumulate", plan.accumulate},
                    {"device", plan.device},
                    {"threads", plan.threads},
                    {"ranks", plan.ranks},
                    {"precision", plan.precision},
                    {"output", plan.output.string()}}));
}

void JsonReporter::updated(const UpdateReport& report) {
  meter_.add(report);
  if (report.update % log_every_ != 0 && report.update != report.updates && !report.skipped) {
    return;
  }
  const ProgressSummary summary = meter_.summary();
  write_(json_line(
      {{"event", "update"},
       {"update", report.update},
       {"updates", report.updates},
       {"epoch", report.epoch},
       {"loss", null_or(summary.loss)},
       {"nll", null_or(summary.nll)},
       {"perplexity", null_or(summary.perplexity())},
       {"tokens_per_second", summary.tokens_per_second},
       {"learning_rate", report.learning_rate},
       {"gradient_norm", null_or(summary.gradient_norm)},
       {"seconds", report.seconds},
       {"seconds_left", summary.seconds_left ? Json(*summary.seconds_left) : Json(nullptr)},
       {"skipped", report.skipped},
       {"memory_bytes", resident_memory()}}));
}

void JsonReporter::validated(const ValidationReport& report) {
  Json line{{"event", "valid"},
            {"set", report.set},
            {"update", report.update},
            {"loss", null_or(report.loss)},
            {"nats_per_byte", null_or(report.nats_per_byte)},
            {"perplexity", null_or(report.perplexity())},
            {"target_tokens", report.predictions},
            {"seconds", report.seconds},
            {"best", report.is_best}};
  for (const ValidationFigure& figure : report.figures) {
    line[figure.name] = figure.value;
  }
  write_(json_line(line));
}

void JsonReporter::sampled(const SamplesReport& report) {
  Json samples = Json::array();
  for (const OutputSample& sample : report.samples) {
    Json attention = Json::array();
    for (const std::vector<float>& row : sample.attention) {
      Json& weights = attention.emplace_back(Json::array());
      for (const float weight : row) {
        weights.push_back(std::round(double{weight} * 1e3) / 1e3);
      }
    }
    samples.push_back({{"source", sample.input},
                       {"reference", sample.expected},
                       {"translation", sample.output},
                       {"attention", std::move(attention)}});
  }
  write_(json_line(
      {{"event", "samples"}, {"update", report.update}, {"samples", std::move(samples)}}));
}

void JsonReporter::saved(std::int64_t update, const std::filesystem::path& checkpoint) {
  write_(json_line({{"event", "saved"}, {"update", update}, {"checkpoint", checkpoint.string()}}));
}

void JsonReporter::message(MessageLevel level, std::string_view text) {
  write_(json_line({{"event", "message"}, {"level", name_of(level)}, {"text", text}}));
}

void JsonReporter::finished(const FinishReport& report) {
  write_(json_line({{"event", "finished"},
                    {"updates", report.updates},
                    {"best_loss", null_or(report.best_loss)},
                    {"best_update", report.best_update},
                    {"best_by", report.best_by},
                    {"best_score", null_or(report.best_score)},
                    {"seconds", report.seconds},
                    {"stopped_early", report.stopped_early},
                    {"interrupted", report.interrupted},
                    {"output", report.output.string()}}));
}

}  // namespace yona
