// The machine's own limits, for the others to be held against: multiply-adds in registers, and
// reading, writing and copying memory.

#include "yona/backend/cpu/targets.h"

#include "bench/ops/bench.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/ops/peak_bench.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace yona::bench {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kChains = 12;  // enough to cover the latency of a multiply-add on two ports

// Returns the number of floating-point operations done.
double multiply_add(std::int64_t rounds, float* sink) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 0.999F);
  const auto term = hn::Set(d, 0.001F);
  const auto start = [&](int chain) HWY_ATTR { return hn::Iota(d, static_cast<float>(chain)); };
  auto a0 = start(0), a1 = start(1), a2 = start(2), a3 = start(3), a4 = start(4), a5 = start(5);
  auto a6 = start(6), a7 = start(7), a8 = start(8), a9 = start(9), a10 = start(10), a11 = start(11);
  for (std::int64_t i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, factor, term);
    a1 = hn::MulAdd(a1, factor, term);
    a2 = hn::MulAdd(a2, factor, term);
    a3 = hn::MulAdd(a3, factor, term);
    a4 = hn::MulAdd(a4, factor, term);
    a5 = hn::MulAdd(a5, factor, term);
    a6 = hn::MulAdd(a6, factor, term);
    a7 = hn::MulAdd(a7, factor, term);
    a8 = hn::MulAdd(a8, factor, term);
    a9 = hn::MulAdd(a9, factor, term);
    a10 = hn::MulAdd(a10, factor, term);
    a11 = hn::MulAdd(a11, factor, term);
  }
  const auto low = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(a4, a5));
  const auto high = hn::Add(hn::Add(hn::Add(a6, a7), hn::Add(a8, a9)), hn::Add(a10, a11));
  *sink = hn::GetLane(hn::Add(low, high));
  return static_cast<double>(rounds * kChains * 2) * static_cast<double>(hn::Lanes(d));
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona::bench {

HWY_EXPORT(multiply_add);

namespace {

void peak_multiply_add(benchmark::State& state) {
  Exec& exec = exec_with(state.range(0));
  constexpr std::int64_t kRounds = 20000;
  float sink = 0;
  const double flops = HWY_DYNAMIC_DISPATCH(multiply_add)(1, &sink) * kRounds;
  const std::int64_t slices = 8;
  measure(state, "GFLOP/s", flops * static_cast<double>(slices) * 1e-9, [&] {
    exec.pool->run(slices, [&](std::int64_t) {
      float mine = 0;
      HWY_DYNAMIC_DISPATCH(multiply_add)(kRounds, &mine);
      benchmark::DoNotOptimize(mine);
    });
  });
}
BENCHMARK(peak_multiply_add)->Apply(briefly)->ArgName("threads")->Arg(1)->Arg(2);

void peak_copy(benchmark::State& state) {
  Exec& exec = exec_with(state.range(1));
  const std::int64_t bytes = state.range(0) << 20U;
  Matrix from(1, bytes / 4);
  Matrix to(1, bytes / 4);
  measure(state, "GB/s", 2e-9 * static_cast<double>(bytes), [&] {
    exec.pool->run_ranges(bytes / 4, 65536, [&](std::int64_t begin, std::int64_t end) {
      std::copy(from.data() + begin, from.data() + end, to.data() + begin);
    });
  });
}
BENCHMARK(peak_copy)
    ->Apply(briefly)
    ->ArgNames({"MB", "threads"})
    ->ArgsProduct({{1, 8, 256}, {1, 2}});

}  // namespace
}  // namespace yona::bench
#endif  // HWY_ONCE
