// The events of a run as lines of text, and the reporter that prints just these.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "yona/train/progress_meter.h"

namespace yona {

// How long a run will take, when that is known.
struct RunTime {
  double seconds = 0;  // of the updates
  double passes = 0;   // over the data
  std::int64_t updates = 1;
  bool is_rest = false;         // of a run that was resumed
  bool can_be_shorter = false;  // was it not the user who chose the time?
};

std::vector<std::string> lines_of(const RunPlan& plan);
std::string line_of(const RunTime& time);
std::string line_of(const ProgressSummary& summary);
std::string line_of(const ValidationReport& report);
std::string line_of(const FinishReport& report);

// "0.00031", "3.1e-05": short, for a learning rate.
std::string short_rate(double rate);

class LineReporter : public Reporter {
 public:
  using Write = std::function<void(MessageLevel level, std::string_view line)>;
  LineReporter(Write write, std::int64_t log_every);

  void started(const RunPlan& plan) override;
  void updated(const UpdateReport& report) override;
  void validated(const ValidationReport& report) override;
  void saved(std::int64_t update, const std::filesystem::path& checkpoint) override;
  void message(MessageLevel level, std::string_view text) override;
  void finished(const FinishReport& report) override;

 private:
  Write write_;
  std::int64_t log_every_;
  ProgressMeter meter_;
};

}  // namespace yona
