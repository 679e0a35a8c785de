// What the benchmarks share: repeated timing and the memory of the process.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

namespace yona {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <class Function>
double seconds_of(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Memory of the process in bytes: now, and the most since the process began or forget_peak_memory()
// was called. 0 where the system does not tell.
std::int64_t resident_memory();
std::int64_t peak_memory();
// False where the system does not allow it.
bool forget_peak_memory();

}  // namespace yona
