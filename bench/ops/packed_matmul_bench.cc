// Products with packed weights at the sizes of decoding with preset base: m rows, weights [n, k].
// Few rows are limited by reading the weights (GB/s), many by
// arithmetic (GFLOP/s, compared with peak_multiply_add). Weights of a whole model are used in turn,
// as a decoder does: one matrix alone would stay in the cache. way 1 is the same product by
// `matmul`, with weights as they are stored; way w > 1 has x of which all but one in w elements are
// zero.

#include <memory>
#include <vector>

#include "bench/ops/bench.h"

namespace yona::bench {
namespace {

void packed_matmul(benchmark::State& state) {
  const bool stored = state.range(0) == 1;
  const std::int64_t m = state.range(1);
  const std::int64_t n = state.range(2);
  const std::int64_t k = state.range(3);
  Exec& exec = exec_with(state.range(4));
  constexpr std::int64_t kModelBytes = std::int64_t{160} << 20U;
  const std::int64_t copies = std::max<std::int64_t>(1, kModelBytes / (n * k * 4));
  Matrix x(m, k);
  for (std::int64_t j = 0; state.range(0) > 1 && j < m * k; ++j) {
    float& element = x.view().row<float>(j / k)[j % k];
    element = j * 2654435761 % 4096 * state.range(0) < 4096 ? element : 0.0F;
  }
  Matrix y(m, n);
  Matrix bias(1, n);
  std::vector<std::unique_ptr<Matrix>> weights;
  for (std::int64_t i = 0; i < copies; ++i) {
    weights.push_back(std::make_unique<Matrix>(n, k));  // packed or not makes random no less random
  }
  std::size_t next = 0;
  const double elements = static_cast<double>(n * k);
  const auto multiply = [&] {
    Matrix& each = *weights[next++ % weights.size()];
    if (stored) {
      cpu_kernels().matmul({.a = x.view(),
                            .b = each.view(),
                            .c = y.view(),
                            .transpose_b = true,
                            .bias = bias.view(),
                            .activation = Activation::relu},
                           exec);
    } else {
      cpu_kernels().packed_matmul({.x = x.view(),
                                   .weights = each.view(),
                                   .y = y.view(),
                                   .bias = bias.view(),
                                   .activation = Activation::relu},
                                  exec);
    }
  };
  if (m < 8) {
    measure(state, "GB/s", 4e-9 * elements, multiply);
  } else {
    measure(state, "GFLOP/s", 2e-9 * static_cast<double>(m) * elements, multiply);
  }
}
BENCHMARK(packed_matmul)
    ->Apply(briefly)
    ->ArgNames({"way", "m", "n", "k", "threads"})
    ->ArgsProduct({{0, 1}, {1, 4, 32, 128}, {512, 2048}, {512}, {1, 2}})
    ->ArgsProduct({{0, 1}, {1, 4, 32, 128}, {512}, {2048}, {1, 2}})
    ->ArgsProduct({{2, 3, 8}, {1, 4}, {512}, {2048}, {1, 2}})
    ->ArgsProduct({{0, 1}, {1, 4, 32, 128}, {37056}, {512}, {1, 2}});

}  // namespace
}  // namespace yona::bench
