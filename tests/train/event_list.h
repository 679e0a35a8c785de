// A reporter that writes down what it hears, a line an event.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "yona/train/progress.h"

namespace yona::testing {

class EventList : public Reporter {
 public:
  void started(const RunPlan& plan) override { add("started {}", plan.model); }
  void updated(const UpdateReport& report) override { add("updated {}", report.update); }
  void validated(const ValidationReport& report) override { add("validated {}", report.set); }
  void saved(std::int64_t update, const std::filesystem::path& checkpoint) override {
    add("saved {} {}", update, checkpoint.string());
  }
  void message(MessageLevel level, std::string_view text) override {
    add("{} {}", level == MessageLevel::warning ? "warning" : "message", text);
  }
  void finished(const FinishReport& report) override { add("finished {}", report.updates); }

  const std::vector<std::string>& events() const { return events_; }

 private:
  template <class... Values>
  void add(fmt::format_string<const Values&...> form, const Values&... values) {
    events_.push_back(fmt::format(form, values...));
  }
  std::vector<std::string> events_;
};

}  // namespace yona::testing
