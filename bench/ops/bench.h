// What the benchmarks of kernels share: matrices, a pool of the wanted size, and how results are
// reported: as FLOP/s or bytes/s of the best and of the median call. The best tells what a kernel
// can do: other processes only ever make it slower.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "yona/backend/backend.h"
#include "yona/backend/registration.h"
#include "yona/base/random.h"

namespace yona::bench {

// A contiguous f32 matrix of random numbers in [-scale, scale), in memory as training has it.
class Matrix {
 public:
  Matrix(std::int64_t rows, std::int64_t cols, float scale = 1.0F)
      : rows_(rows), cols_(cols), values_(static_cast<float*>(backend().reserve(bytes()))) {
    std::uint64_t state = 1;
    for (std::int64_t i = 0; i < rows * cols; ++i) {
      state = mix(state, 1);
      values_[i] = scale * (static_cast<float>(state >> 40U) * 0x1.0p-23F - 1.0F);
    }
  }
  ~Matrix() { backend().release(values_, bytes()); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  View view() { return {values_, rows_, cols_, cols_, DType::f32}; }
  float* data() { return values_; }

 private:
  static Backend& backend() {
    static const std::unique_ptr<Backend> cpu = make_backend("cpu", {.threads = 1});
    return *cpu;
  }
  std::int64_t bytes() const { return rows_ * cols_ * static_cast<std::int64_t>(sizeof(float)); }

  std::int64_t rows_, cols_;
  float* values_;
};

inline Exec& exec_with(std::int64_t threads) {
  struct Owned {
    explicit Owned(int count) : pool(count) { exec.pool = &pool; }
    ThreadPool pool;
    Exec exec;
  };
  static std::map<std::int64_t, std::unique_ptr<Owned>> owned;
  auto& slot = owned[threads];
  if (!slot) {
    slot = std::make_unique<Owned>(static_cast<int>(threads));
  }
  return slot->exec;
}

// Calls `kernel` over and over. `work` is what one call does, in units of `unit` ("GFLOP/s",
// "GB/s": work is then in billions).
template <class Function>
void measure(benchmark::State& state, const char* unit, double work, const Function& kernel) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  kernel();
  for ([[maybe_unused]] auto iteration : state) {
    const Clock::time_point start = Clock::now();
    kernel();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    state.SetIterationTime(seconds.back());
  }
  std::sort(seconds.begin(), seconds.end());
  state.counters["best_us"] = seconds.front() * 1e6;
  state.counters[std::string("best_") + unit] = work / seconds.front();
  state.counters[std::string("median_") + unit] = work / seconds[seconds.size() / 2];
}

// How every benchmark here is run.
inline void briefly(benchmark::internal::Benchmark* each) {
  each->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.2);
}

// Row keys for dropout.
inline std::vector<std::uint64_t> row_keys(std::int64_t rows) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = mix(i, 1);
  }
  return keys;
}

}  // namespace yona::bench
