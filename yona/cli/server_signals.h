// SIGINT and SIGTERM ask a server to stop, SIGHUP to look at its files again. They are taken by a
// thread of their own, for the reason that stop_signals.cc has.
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace yona::cli {

class ServerSignals {
 public:
  // From now on the signals wait, in this thread and those that it starts.
  ServerSignals();
  // They mean what they meant before.
  ~ServerSignals();
  ServerSignals(const ServerSignals&) = delete;
  ServerSignals& operator=(const ServerSignals&) = delete;

  // Takes them, also those that came since. `stop` is called for the first SIGINT or SIGTERM; the
  // second ends the process. Both are called by the thread that waits.
  void listen(std::function<void()> stop, std::function<void()> reload);
  // Calls neither of them any more.
  void end();

 private:
  void wait();

  sigset_t signals_{}, before_{};
  std::function<void()> stop_, reload_;
  std::atomic<bool> is_waiting_{false};
  std::thread thread_;
};

}  // namespace yona::cli
