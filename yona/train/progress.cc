// Which reporter a style means on this machine, and the bar's hold on the logger.

#include "yona/train/progress.h"

#include <cstdio>
#include <utility>

#include <spdlog/sinks/base_sink.h>

#include "yona/base/log.h"
#include "yona/train/progress_bar.h"
#include "yona/train/progress_json.h"
#include "yona/train/progress_lines.h"

namespace yona {

namespace {

MessageLevel level_of(spdlog::level::level_enum level) {
  if (level >= spdlog::level::err) {
    return MessageLevel::error;
  }
  return level == spdlog::level::warn ? MessageLevel::warning : MessageLevel::info;
}

void log_line(MessageLevel level, std::string_view line) {
  switch (level) {
    case MessageLevel::info:
      log().info("{}", line);
      return;
    case MessageLevel::warning:
      log().warn("{}", line);
      return;
    case MessageLevel::error:
      log().error("{}", line);
      return;
  }
}

class ReporterSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit ReporterSink(Reporter& reporter) : reporter_(reporter) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    reporter_.message(level_of(message.level), {message.payload.data(), message.payload.size()});
  }
  void flush_() override {}

 private:
  Reporter& reporter_;
};

// A bar that the logger's lines pass through; they would tear it otherwise. Made and destroyed
// while no other thread logs.
class LoggingBar : public BarReporter {
 public:
  explicit LoggingBar(std::int64_t window) : BarReporter(standard_error_port(), window) {
    before_.swap(log().sinks());
    log().sinks().push_back(std::make_shared<ReporterSink>(*this));
  }
  ~LoggingBar() override { log().sinks() = std::move(before_); }

 private:
  std::vector<spdlog::sink_ptr> before_;
};

class QuietReporter : public Reporter {
 public:
  void message(MessageLevel level, std::string_view text) override {
    if (level != MessageLevel::info) {
      log_line(level, text);
    }
  }
};

void print_result(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);  // a reader of a pipe follows the run
}

}  // namespace

std::unique_ptr<Reporter> make_reporter(ProgressStyle style, std::int64_t log_every) {
  switch (style) {
    case ProgressStyle::bar:
      if (standard_error_can_redraw()) {
        return std::make_unique<LoggingBar>(log_every);
      }
      return std::make_unique<LineReporter>(log_line, log_every);
    case ProgressStyle::plain:
      return std::make_unique<LineReporter>(log_line, log_every);
    case ProgressStyle::json:
      return std::make_unique<JsonReporter>(print_result, log_every);
    case ProgressStyle::quiet:
      break;
  }
  return std::make_unique<QuietReporter>();
}

}  // namespace yona
