// How long batches compute between two places where they can be preempted: as long as a short
// request waits at most until its own batch begins.
#pragma once

#include <atomic>
#include <cstdint>

#include "yona/base/timing.h"

namespace yona::serve {

class StepClock {
 public:
  static constexpr double kLong = 0.05;  // seconds: what steps should stay below

  // A batch starts, or continues after it was preempted. By its thread.
  void begin();
  // What this thread does until its next call is not counted: a model is loaded.
  void pause();
  // Such a place, or the end of a batch. Any thread; the first call of a thread after begin() of
  // another counts nothing.
  void point();

  std::uint64_t steps() const { return steps_; }
  std::uint64_t long_steps() const { return long_steps_; }  // of more than kLong
  double longest() const { return longest_; }               // seconds

 private:
  std::atomic<std::uint64_t> turn_{0}, steps_{0}, long_steps_{0};
  std::atomic<double> longest_{0};
};

}  // namespace yona::serve
