// Time as it is measured everywhere here: seconds of a clock that never goes back.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace yona {

using Clock = std::chrono::steady_clock;

// Seconds since an arbitrary moment; only differences mean something.
inline double steady_seconds() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Function>
double seconds_of(const Function& function) {
  const Clock::time_point start = Clock::now();
  function();
  return seconds_since(start);
}

// The middle one of repeated measurements; the higher of two. There must be one.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace yona
