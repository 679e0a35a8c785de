#include "yona/train/progress_meter.h"

namespace yona {

void ProgressMeter::add(const UpdateReport& report) {
  recent_.push_back(report);
  if (static_cast<std::int64_t>(recent_.size()) > window_) {
    recent_.pop_front();
  }
}

ProgressSummary ProgressMeter::summary() const {
  ProgressSummary result;
  if (recent_.empty()) {
    return result;
  }
  result.last = recent_.back();
  double counted = 0.0;
  double tokens = 0.0;
  double seconds = 0.0;
  for (const UpdateReport& report : recent_) {
    const auto weight = static_cast<double>(report.predictions);
    tokens += weight;
    seconds += report.step_seconds;
    if (!report.skipped) {
      counted += weight;
      result.loss += weight * report.loss;
      result.nll += weight * report.nll;
      result.gradient_norm += weight * report.gradient_norm;
    }
  }
  result.loss /= counted;
  result.nll /= counted;
  result.gradient_norm /= counted;
  result.tokens_per_second = seconds > 0.0 ? tokens / seconds : 0.0;
  const std::int64_t done = result.last.update - first_update_;
  if (result.last.updates >= result.last.update && done > 0) {
    result.seconds_left = result.last.seconds / static_cast<double>(done) *
                          static_cast<double>(result.last.updates - result.last.update);
  }
  return result;
}

}  // namespace yona
