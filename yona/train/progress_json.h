// The events of a run as JSON, one object a line. The fields are part of the command line's
// contract: docs/command-line.md lists them.
#pragma once

#include <functional>
#include <string_view>

#include "yona/train/progress_meter.h"

namespace yona {

class JsonReporter : public Reporter {
 public:
  using Write = std::function<void(std::string_view line)>;  // without the line break
  JsonReporter(Write write, std::int64_t log_every);

  void started(const RunPlan& plan) override;
  void updated(const UpdateReport& report) override;
  void validated(const ValidationReport& report) override;
  void sampled(const SamplesReport& report) override;
  void saved(std::int64_t update, const std::filesystem::path& checkpoint) override;
  void message(MessageLevel level, std::string_view text) override;
  void finished(const FinishReport& report) override;

 private:
  Write write_;
  std::int64_t log_every_;
  ProgressMeter meter_;
};

}  // namespace yona
