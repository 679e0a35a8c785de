// Linux tells in /proc/self/status, and forgets the peak when "5" is written to clear_refs.

#include "yona/train/bench_timing.h"

#include <fstream>
#include <string>
#include <string_view>

namespace yona {

namespace {

std::int64_t status_bytes(std::string_view name) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name)) {
      return std::stoll(line.substr(name.size())) * 1024;
    }
  }
  return 0;
}

}  // namespace

std::int64_t resident_memory() { return status_bytes("VmRSS:"); }
std::int64_t peak_memory() { return status_bytes("VmHWM:"); }

bool forget_peak_memory() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

}  // namespace yona
