// Products of bytes at the sizes of decoding with preset base: m rows, weights [n, k]. Few rows are
// limited by reading the weights (GB/s), many by arithmetic (GOP/s). Weights of a whole model are
// used in turn, as a decoder does: one matrix alone would stay in the cache. `rest`: of so many
// elements of x all but one are zero, as behind a ReLU.

#include <memory>
#include <vector>

#include "yona/backend/panels.h"

#include "bench/ops/bench.h"

namespace yona::bench {
namespace {

// Weights [n, k] in bytes, all of them 1.
struct Bytes {
  Bytes(std::int64_t n, std::int64_t k)
      : panels((n + kPanelRows - 1) / kPanelRows),
        size(int8_panel_size(k)),
        values(static_cast<std::size_t>(panels * size), 1),
        scales(static_cast<std::size_t>(panels * kPanelRows), 1.0F),
        sums(scales.size(), static_cast<std::int32_t>(k)) {}
  Int8Weights weights() {
    const std::int64_t rows = panels * kPanelRows;
    return {{values.data(), panels, size, size, DType::i8},
            {scales.data(), 1, rows, rows, DType::f32},
            {sums.data(), 1, rows, rows, DType::i32}};
  }

  std::int64_t panels, size;
  std::vector<std::int8_t> values;
  std::vector<float> scales;
  std::vector<std::int32_t> sums;
};

void int8_matmul(benchmark::State& state) {
  const std::int64_t m = state.range(0);
  const std::int64_t n = state.range(1);
  const std::int64_t k = state.range(2);
  Exec& exec = exec_with(state.range(3));
  constexpr std::int64_t kModelBytes = std::int64_t{40} << 20U;
  const std::int64_t copies = std::max<std::int64_t>(1, kModelBytes / (n * k));
  Matrix x(m, k);
  for (std::int64_t j = 0; j < m * k; ++j) {
    float& element = x.view().row<float>(j / k)[j % k];
    element = state.range(4) == 0                             ? element
              : j * 2654435761 % 4096 * state.range(4) < 4096 ? std::abs(element)
                                                              : 0.0F;
  }
  Matrix y(m, n);
  std::vector<std::unique_ptr<Bytes>> weights;
  for (std::int64_t i = 0; i < copies; ++i) {
    weights.push_back(std::make_unique<Bytes>(n, k));
  }
  std::size_t next = 0;
  const double elements = static_cast<double>(n * k);
  const auto multiply = [&] {
    Bytes& each = *weights[next++ % weights.size()];
    cpu_kernels().int8_matmul({.x = x.view(), .weights = each.weights(), .y = y.view()}, exec);
  };
  if (m < 8) {
    measure(state, "GB/s", 1e-9 * elements, multiply);
  } else {
    measure(state, "GOP/s", 2e-9 * static_cast<double>(m) * elements, multiply);
  }
}
BENCHMARK(int8_matmul)
    ->Apply(briefly)
    ->ArgNames({"m", "n", "k", "threads", "rest"})
    ->ArgsProduct({{1, 4, 32, 128}, {512, 2048, 37056}, {512}, {1, 2}, {0}})
    ->ArgsProduct({{1, 4, 32, 128}, {512}, {2048}, {1, 2}, {0}})
    ->ArgsProduct({{1, 4}, {512}, {2048}, {1, 2}, {2, 4, 8}});

}  // namespace
}  // namespace yona::bench
