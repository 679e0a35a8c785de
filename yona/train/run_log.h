// The events of a run kept in its folder, as log.jsonl: for `yona runs` and the dashboard.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "yona/train/progress_json.h"

namespace yona {

// Appends, so that a resumed run continues the same file. What is reported before the folder
// exists is written when it does. If the log cannot be written, there is one warning and the run
// continues.
class RunLog : public JsonReporter {
 public:
  RunLog(std::filesystem::path folder, std::int64_t log_every);

 private:
  void write(std::string_view line);

  std::filesystem::path folder_;
  std::string waiting_;
  std::ofstream file_;
  bool has_failed_ = false;
};

}  // namespace yona
