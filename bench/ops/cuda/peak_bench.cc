// The GPU's own limits, which the other benchmarks are shares of: a large product in bf16, and a
// copy.

#include "bench/ops/cuda/cublaslt.h"
#include "bench/ops/cuda/device.h"

namespace yona::bench {

namespace {

constexpr std::int64_t kSide = 8192;

// The best of a few.
template <class Launch>
double best_rate(double work, const Launch& launch) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    best = std::max(best, work / seconds_of_call(launch));
  }
  return best;
}

}  // namespace

double peak_flops() {
  static const double peak = [] {
    const DeviceMatrix a(kSide, kSide);
    const DeviceMatrix b(kSide, kSide);
    const DeviceMatrix c(kSide, kSide);
    const CublasProduct product({.a = a.view(), .b = b.view(), .c = c.view(), .transpose_b = true});
    return best_rate(2.0 * kSide * kSide * kSide, [&] { product.launch(gpu().exec().stream); });
  }();
  return peak;
}

double peak_bytes() {
  static const double peak = [] {
    constexpr std::int64_t kRows = 1 << 16;
    const DeviceMatrix from(kRows, 4096, DType::f32);
    const DeviceMatrix to(kRows, 4096, DType::f32);
    return best_rate(2.0 * 4.0 * kRows * 4096, [&] {
      gpu().kernels().add({.a = from.view(), .b = {}, .y = to.view()}, gpu().exec());
    });
  }();
  return peak;
}

namespace {

void cuda_peak(benchmark::State& state) {
  on_gpu(state, [&] {
    for ([[maybe_unused]] auto iteration : state) {
      state.SetIterationTime(1.0);
    }
    state.counters["TFLOP/s"] = peak_flops() * 1e-12;
    state.counters["GB/s"] = peak_bytes() * 1e-9;
  });
}
BENCHMARK(cuda_peak)->UseManualTime()->Iterations(1);

}  // namespace
}  // namespace yona::bench
