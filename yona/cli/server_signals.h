// SIGINT and SIGTERM stop a server, SIGHUP makes it check its files. A separate thread receives
// them, for the reason given in stop_signals.cc.
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
