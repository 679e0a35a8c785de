// The optimiser over all weights of `tiny` (2.3 M) and `base` (63 M), and what goes with it.

#include "bench/ops/bench.h"

namespace yona::bench {
namespace {

void models(benchmark::internal::Benchmark* each) {
  briefly(each);
  each->ArgNames({"weights", "threads"})->ArgsProduct({{2300000, 63000000}, {1, 2}});
}

void adam(benchmark::State& state) {
  const std::int64_t n = state.range(0);
  Matrix weights(1, n);
  Matrix gradients(1, n);
  Matrix m(1, n);
  Matrix v(1, n);
  cpu_kernels().fill({v.view(), 1.0F}, exec_with(1));
  const double squared_norm = 1.0;
  const AdamArgs args = {.weights = weights.view(),
                         .gradients = gradients.view(),
                         .m = m.view(),
                         .v = v.view(),
                         .squared_norm = &squared_norm,
                         .rate = 1e-6F};
  measure(state, "GB/s", 28e-9 * static_cast<double>(n),
          [&] { cpu_kernels().adam(args, exec_with(state.range(1))); });
}
BENCHMARK(adam)->Apply(models);

void squared_norm(benchmark::State& state) {
  Matrix gradients(1, state.range(0));
  double out = 0;
  measure(state, "GB/s", 4e-9 * static_cast<double>(state.range(0)), [&] {
    cpu_kernels().squared_norm({gradients.view(), &out}, exec_with(state.range(1)));
  });
}
BENCHMARK(squared_norm)->Apply(models);

void fill(benchmark::State& state) {
  Matrix gradients(1, state.range(0));
  measure(state, "GB/s", 4e-9 * static_cast<double>(state.range(0)), [&] {
    cpu_kernels().fill({gradients.view(), 0.0F}, exec_with(state.range(1)));
  });
}
BENCHMARK(fill)->Apply(models);

}  // namespace
}  // namespace yona::bench
