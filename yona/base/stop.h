// Asking long work to end: the waiting thread sets a flag, and the work checks it between its
// steps.
#pragma once

#include <atomic>

#include "yona/base/error.h"

namespace yona {

// Throws Interrupted "WHAT: interrupted" once the flag is set; without a flag, never.
inline void check_stop(const std::atomic<bool>* stop, std::string_view what) {
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) [[unlikely]] {
    fail<Interrupted>("{}: interrupted", what);
  }
}

}  // namespace yona
