// What the benchmarks of CUDA kernels share: matrices on the GPU, the mean time of a call in a row
// of calls, and the GPU's measured peaks, of which each result is a share. They use the kernel
// table as training does; without a GPU they are skipped.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "yona/backend/backend.h"
#include "yona/base/dtype.h"
#include "yona/base/error.h"
#include "yona/base/random.h"

namespace yona::bench {

// Throws DeviceError where there is none.
inline Backend& gpu() {
  static const std::unique_ptr<Backend> backend = make_backend("cuda");
  return *backend;
}

// A contiguous matrix of random numbers in [-1, 1), in bf16 or f32.
class DeviceMatrix {
 public:
  DeviceMatrix(std::int64_t rows, std::int64_t cols, DType dtype = DType::bf16)
      : bytes_(rows * cols * static_cast<std::int64_t>(size_of(dtype))),
        memory_(gpu().reserve(bytes_)),
        view_{memory_, rows, cols, cols, dtype} {
    gpu().commit(memory_, bytes_);
    std::vector<float> values(static_cast<std::size_t>(rows * cols));
    std::uint64_t state = 1;
    for (float& value : values) {
      state = mix(state, 1);
      value = static_cast<float>(state >> 40U) * 0x1.0p-23F - 1.0F;
    }
    if (dtype == DType::f32) {
      gpu().upload(memory_, values.data(), bytes_);
    } else {
      std::vector<std::uint16_t> halves(values.size());
      for (std::size_t i = 0; i < values.size(); ++i) {
        halves[i] = to_bf16(values[i]);
      }
      gpu().upload(memory_, halves.data(), bytes_);
    }
    gpu().synchronize();
  }
  ~DeviceMatrix() { gpu().release(memory_, bytes_); }
  DeviceMatrix(const DeviceMatrix&) = delete;
  DeviceMatrix& operator=(const DeviceMatrix&) = delete;

  const View& view() const { return view_; }

 private:
  std::int64_t bytes_;
  void* memory_;
  View view_;
};

// The mean of 20 calls in a row, launched without waiting, in seconds.
template <class Launch>
double seconds_of_call(const Launch& launch) {
  using Clock = std::chrono::steady_clock;
  constexpr int kCalls = 20;
  gpu().synchronize();
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < kCalls; ++i) {
    launch();
  }
  gpu().synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count() / kCalls;
}

// FLOP/s of the largest square product, by cuBLASLt (peak_bench.cc).
double peak_flops();
// Bytes/s of a copy of 1 GiB.
double peak_bytes();

// Runs the body, which may throw, where there is a GPU.
template <class Body>
void on_gpu(benchmark::State& state, const Body& body) {
  try {
    gpu();
  } catch (const Error& error) {
    state.SkipWithError(error.what());
    return;
  }
  body();
}

// Calls over and over; reports the best and, as a share of `peak`, work / seconds.
template <class Launch>
void measure_call(benchmark::State& state, double work, double peak, const Launch& launch) {
  seconds_of_call(launch);
  double best = 1e9;
  for ([[maybe_unused]] auto iteration : state) {
    const double seconds = seconds_of_call(launch);
    best = std::min(best, seconds);
    state.SetIterationTime(seconds);
  }
  state.counters["best_us"] = best * 1e6;
  state.counters["of_peak"] = work / best / peak;
}

}  // namespace yona::bench
