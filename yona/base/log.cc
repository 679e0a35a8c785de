// The one logger: plain lines on standard error, warnings and errors with their level as prefix.

#include "yona/base/log.h"

#include <memory>
#include <string>

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace yona {

namespace {

// "warning: …" and "error: …", no prefix for plain information.
class LevelPrefix : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& out) override {
    if (message.level >= spdlog::level::warn) {
      const std::string_view text = message.level == spdlog::level::warn ? "warning: " : "error: ";
      out.append(text.data(), text.data() + text.size());
    }
  }
  std::unique_ptr<custom_flag_formatter> clone() const override {
    return spdlog::details::make_unique<LevelPrefix>();
  }
};

std::shared_ptr<spdlog::logger> make_logger() {
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelPrefix>('*').set_pattern("%*%v");
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  sink->set_formatter(std::move(formatter));
  auto logger = std::make_shared<spdlog::logger>("yona", std::move(sink));
  // A line that cannot be written is lost, and nothing else: spdlog would write a line about it.
  logger->set_error_handler([](const std::string& /*message*/) {});
  return logger;
}

}  // namespace

spdlog::logger& log() {
  static const std::shared_ptr<spdlog::logger> logger = make_logger();
  return *logger;
}

void set_verbosity(Verbosity verbosity) {
  switch (verbosity) {
    case Verbosity::quiet:
      log().set_level(spdlog::level::warn);
      break;
    case Verbosity::normal:
      log().set_level(spdlog::level::info);
      break;
    case Verbosity::verbose:
      log().set_level(spdlog::level::debug);
      break;
  }
}

}  // namespace yona
