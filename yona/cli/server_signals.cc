#include "yona/cli/server_signals.h"

#include <ctime>

namespace yona::cli {

ServerSignals::ServerSignals() {
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

void ServerSignals::end() {
  is_waiting_ = false;
  if (thread_.joinable()) {
    thread_.join();
  }
}

ServerSignals::~ServerSignals() {
  end();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void ServerSignals::listen(std::function<void()> stop, std::function<void()> reload) {
  stop_ = std::move(stop);
  reload_ = std::move(reload);
  is_waiting_ = true;
  thread_ = std::thread([this] { wait(); });
}

void ServerSignals::wait() {
  constexpr timespec kPatience{0, 50'000'000};
  bool has_stopped = false;
  while (is_waiting_.load()) {
    const int signal = sigtimedwait(&signals_, nullptr, &kPatience);
    if (signal == SIGHUP) {
      reload_();
    } else if (signal > 0 && !has_stopped) {
      has_stopped = true;
      stop_();
    } else if (signal > 0) {
      std::signal(signal, SIG_DFL);
      pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
      std::raise(signal);
    }
  }
}

}  // namespace yona::cli
