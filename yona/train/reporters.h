// Several reporters as one: the progress bar, event files and others that follow a run.
#pragma once

#include <vector>

#include "yona/train/progress.h"

namespace yona {

// Hands every event to each of them, in the order they were added. They must outlive this object.
class Reporters : public Reporter {
 public:
  // Without a first one nothing is heard.
  explicit Reporters(Reporter* first = nullptr) {
    if (first != nullptr) {
      add(*first);
    }
  }
  void add(Reporter& reporter) { reporters_.push_back(&reporter); }

  void started(const RunPlan& plan) override;
  void updated(const UpdateReport& report) override;
  void validated(const ValidationReport& report) override;
  void sampled(const SamplesReport& report) override;
  void saved(std::int64_t update, const std::filesystem::path& checkpoint) override;
  void message(MessageLevel level, std::string_view text) override;
  void finished(const FinishReport& report) override;

 private:
  std::vector<Reporter*> reporters_;
};

}  // namespace yona
