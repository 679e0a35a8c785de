// Exec: where a kernel runs. A CPU kernel takes the pool, a CUDA kernel the stream.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "yona/base/device.h"
#include "yona/base/thread_pool.h"

namespace yona {

// Seconds per kernel name, when someone asks for them (bench). Not for several threads at once.
struct Profile {
  std::map<std::string_view, double> seconds;
};

struct Exec {
  Device device = Device::cpu;
  std::string_view backend = "reference";
  ThreadPool* pool = nullptr;
  void* stream = nullptr;      // cudaStream_t
  bool dry_run = false;        // compute nothing: the step is only planned
  Profile* profile = nullptr;  // nullptr: not measured
};

class ProfileScope {
 public:
  ProfileScope(Profile* profile, std::string_view name) : profile_(profile), name_(name) {
    if (profile_ != nullptr) {
      start_ = std::chrono::steady_clock::now();
    }
  }
  ~ProfileScope() {
    if (profile_ != nullptr) {
      profile_->seconds[name_] +=
          std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
  }
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;

 private:
  Profile* profile_;
  std::string_view name_;
  std::chrono::steady_clock::time_point start_;
};

[[noreturn]] void missing_kernel(std::string_view name, const Exec& exec);

}  // namespace yona
