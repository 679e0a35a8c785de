// The signals are blocked in every thread and waited for by one of their own: the code that oneDNN
// makes at run time keeps data below its stack pointer, which a handler on that stack would
// destroy.

#include "yona/cli/stop_signals.h"

#include <csignal>
#include <ctime>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace yona::cli {

namespace {

std::atomic<bool> stop_asked{false};
std::atomic<bool> waiting{false};
std::atomic<StopNotice> told{StopNotice::told};
std::thread waiter;
sigset_t mask_before;

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

// The second signal does what it does to any program.
void end_process(int signal, const sigset_t& set) {
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  std::raise(signal);
}

void wait_for_signals() {
  const sigset_t set = stop_signals();
  constexpr timespec kPatience{0, 20'000'000};
  while (waiting.load()) {
    const int signal = sigtimedwait(&set, nullptr, &kPatience);
    if (signal <= 0) {
      continue;
    }
    if (stop_asked.exchange(true)) {
      end_process(signal, set);
    }
    if (told.load() == StopNotice::silent) {
      continue;
    }
    constexpr std::string_view kText = "\nstopping: saving first; once more ends at once\n";
    static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
  }
}

}  // namespace

StopSignals::StopSignals(StopNotice notice) {
  told = notice;
  stop_asked = false;
  waiting = true;
  const sigset_t set = stop_signals();
  pthread_sigmask(SIG_BLOCK, &set, &mask_before);
  waiter = std::thread(wait_for_signals);
}

StopSignals::~StopSignals() {
  waiting = false;
  waiter.join();
  pthread_sigmask(SIG_SETMASK, &mask_before, nullptr);
}

const std::atomic<bool>& StopSignals::stop() const { return stop_asked; }

}  // namespace yona::cli
