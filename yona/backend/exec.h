// Exec: where a kernel runs. A CPU kernel takes the pool, a CUDA kernel the stream.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "yona/base/device.h"
#include "yona/base/thread_pool.h"

namespace yona {

// Seconds per kernel name, when someone asks for them (bench). Not for several threads at once.
// begin() and end() enclose each kernel; this one reads the host's clock, which is right where
// a kernel is done when its call returns. Read `seconds` after finish().
struct Profile {
  Profile() = default;
  virtual ~Profile() = default;
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  virtual void begin() { start = std::chrono::steady_clock::now(); }
  virtual void end(std::string_view name) {
    add(name, part,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  virtual void finish() {}

  void add(std::string_view name, std::string_view in_part, double took) {
    seconds[name] += took;
    if (!in_part.empty()) {
      parts[{in_part, name}] += took;
    }
  }

  std::map<std::string_view, double> seconds;
  // Of them, what was run in a named part of the step: by part and kernel.
  std::map<std::pair<std::string_view, std::string_view>, double> parts;
  std::string_view part;  // that is being run
  std::chrono::steady_clock::time_point start;
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
      profile_->begin();
    }
  }
  ~ProfileScope() {
    if (profile_ != nullptr) {
      profile_->end(name_);
    }
  }
  ProfileScope(const ProfileScope&) = delete;
  ProfileScope& operator=(const ProfileScope&) = delete;

 private:
  Profile* profile_;
  std::string_view name_;
};

// Names the part of a step that runs while this lives.
class ProfilePart {
 public:
  ProfilePart(Profile* profile, std::string_view part) : profile_(profile) {
    if (profile_ != nullptr) {
      profile_->part = part;
    }
  }
  ~ProfilePart() {
    if (profile_ != nullptr) {
      profile_->part = {};
    }
  }
  ProfilePart(const ProfilePart&) = delete;
  ProfilePart& operator=(const ProfilePart&) = delete;

 private:
  Profile* profile_;
};

[[noreturn]] void missing_kernel(std::string_view name, const Exec& exec);

}  // namespace yona
