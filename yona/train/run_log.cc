#include "yona/train/run_log.h"

#include "yona/base/log.h"

namespace yona {

RunLog::RunLog(std::filesystem::path folder, std::int64_t log_every)
    : JsonReporter([this](std::string_view line) { write(line); }, log_every),
      folder_(std::move(folder)) {}

void RunLog::write(std::string_view line) {
  if (has_failed_) {
    return;
  }
  waiting_.append(line).push_back('\n');
  std::error_code error;
  if (!file_.is_open()) {
    if (!std::filesystem::is_directory(folder_, error)) {
      return;
    }
    file_.open(folder_ / "log.jsonl", std::ios::binary | std::ios::app);
  }
  file_ << waiting_ << std::flush;
  waiting_.clear();
  if (!file_) {
    has_failed_ = true;
    log().warn("the run's log cannot be written: {}", (folder_ / "log.jsonl").string());
  }
}

}  // namespace yona
