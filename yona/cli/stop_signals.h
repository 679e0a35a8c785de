// Ctrl-C and SIGTERM while something long runs: the first asks it to save and end, the second ends
// the process at once.
#pragma once

#include <atomic>

namespace yona::cli {

enum class StopNotice : bool { silent, told };

// One at a time. The first signal is reported on standard error, unless silent. The destructor
// restores the previous signal handling.
class StopSignals {
 public:
  explicit StopSignals(StopNotice notice = StopNotice::told);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Turns true at the first signal.
  const std::atomic<bool>& stop() const;
};

}  // namespace yona::cli
