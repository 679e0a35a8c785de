// Asking long work to end: whoever waits for it sets a flag, and the work looks at it between its
// steps.
#pragma once

#include <atomic>

#include "yona/base/error.h"

namespace yona {

// The work was given up because somebody asked for that; nothing is wrong, and what it worked on
// can be used again.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// Throws Interrupted "WHAT: interrupted" once the flag is set; without a flag, never.
inline void check_stop(const std::atomic<bool>* stop, std::string_view what) {
  if (stop != nullptr && stop->load(std::memory_order_relaxed)) [[unlikely]] {
    fail<Interrupted>("{}: interrupted", what);
  }
}

}  // namespace yona
