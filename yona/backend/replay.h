// Kernel calls made again and again on the same memory, and small results read while more work
// runs: what a decoding step needs so that no device waits for the host.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

namespace yona {

// Calls of kernels that are the same every time: same arguments, same sizes; what differs is in
// the device's memory. Here they are called again; a GPU keeps them as a graph and launches it.
class Replay {
 public:
  Replay() = default;
  virtual ~Replay() = default;
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // `calls` makes them, copies nothing to or from the host and waits for nothing. Memory that it
  // takes must be free for it at every run. It is called the first times alone.
  virtual void run(const std::function<void()>& calls) { calls(); }
};

// A copy on its way to the host.
class Readback {
 public:
  Readback() = default;
  virtual ~Readback() = default;
  Readback(const Readback&) = delete;
  Readback& operator=(const Readback&) = delete;

  // Copies what the device has there after all that was called before. Asynchronous.
  virtual void start(const void* from, std::int64_t bytes) {
    values_.resize(static_cast<std::size_t>(bytes));
    std::memcpy(values_.data(), from, values_.size());
  }
  // Waits for that copy; valid until the next start().
  virtual const void* wait() { return values_.data(); }

 private:
  std::vector<char> values_;
};

}  // namespace yona
