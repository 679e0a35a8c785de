#include "yona/cli/stop_signals.h"

#include <array>
#include <csignal>
#include <string_view>
#include <unistd.h>

namespace yona::cli {

namespace {

constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch it");

// Only calls that are safe inside a signal handler.
void handle(int signal) {
  if (stop_asked.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  constexpr std::string_view kText = "\nstopping: saving first; once more ends at once\n";
  static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
}

}  // namespace

StopSignals::StopSignals() {
  stop_asked = false;
  for (const int signal : kSignals) {
    std::signal(signal, handle);
  }
}

StopSignals::~StopSignals() {
  for (const int signal : kSignals) {
    std::signal(signal, SIG_DFL);
  }
}

const std::atomic<bool>& StopSignals::stop() const { return stop_asked; }

}  // namespace yona::cli
