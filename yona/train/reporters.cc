#include "yona/train/reporters.h"

namespace yona {

void Reporters::started(const RunPlan& plan) {
  for (Reporter* reporter : reporters_) {
    reporter->started(plan);
  }
}

void Reporters::updated(const UpdateReport& report) {
  for (Reporter* reporter : reporters_) {
    reporter->updated(report);
  }
}

void Reporters::validated(const ValidationReport& report) {
  for (Reporter* reporter : reporters_) {
    reporter->validated(report);
  }
}

void Reporters::sampled(const SamplesReport& report) {
  for (Reporter* reporter : reporters_) {
    reporter->sampled(report);
  }
}

void Reporters::saved(std::int64_t update, const std::filesystem::path& checkpoint) {
  for (Reporter* reporter : reporters_) {
    reporter->saved(update, checkpoint);
  }
}

void Reporters::message(MessageLevel level, std::string_view text) {
  for (Reporter* reporter : reporters_) {
    reporter->message(level, text);
  }
}

void Reporters::finished(const FinishReport& report) {
  for (Reporter* reporter : reporters_) {
    reporter->finished(report);
  }
}

}  // namespace yona
