#include "yona/serve/step_clock.h"

namespace yona::serve {

namespace {

struct LastPoint {
  const StepClock* clock = nullptr;
  std::uint64_t turn = 0;
  Clock::time_point time{};
};

thread_local LastPoint last_point;

}  // namespace

void StepClock::begin() { last_point = {this, ++turn_, Clock::now()}; }

void StepClock::pause() { last_point = {}; }

void StepClock::point() {
  const Clock::time_point now = Clock::now();
  const std::uint64_t turn = turn_.load(std::memory_order_relaxed);
  if (last_point.clock == this && last_point.turn == turn) {
    const double seconds = std::chrono::duration<double>(now - last_point.time).count();
    steps_.fetch_add(1, std::memory_order_relaxed);
    if (seconds > kLong) {
      long_steps_.fetch_add(1, std::memory_order_relaxed);
    }
    double longest = longest_.load(std::memory_order_relaxed);
    while (seconds > longest && !longest_.compare_exchange_weak(longest, seconds)) {
    }
  }
  last_point = {this, turn, now};
}

}  // namespace yona::serve
