// Row-wise kernels of a training step at the sizes of `tiny` (2,000 × 128) and `base`
// (2,000 × 512), as the memory they touch per second.

#include "bench/ops/bench.h"

namespace yona::bench {
namespace {

constexpr std::int64_t kTokens = 2000;

double gigabytes(std::int64_t matrices, std::int64_t rows, std::int64_t cols) {
  return 4e-9 * static_cast<double>(matrices * rows * cols);
}

void widths(benchmark::internal::Benchmark* each) {
  briefly(each);
  each->ArgNames({"d", "threads"})->ArgsProduct({{128, 512}, {1, 2}});
}

struct Norm {
  explicit Norm(std::int64_t d)
      : x(kTokens, d),
        r(kTokens, d),
        s(kTokens, d),
        y(kTokens, d),
        weight(1, d),
        bias(1, d),
        statistics(kTokens, 2),
        keys(row_keys(kTokens)) {}
  ResidualNormArgs args() {
    return {.x = x.view(),
            .r = r.view(),
            .s = s.view(),
            .y = y.view(),
            .weight = weight.view(),
            .bias = bias.view(),
            .statistics = statistics.view(),
            .row_keys = keys.data(),
            .dropout = Dropout::with(0.1, 1, 2)};
  }
  Matrix x, r, s, y, weight, bias, statistics;
  std::vector<std::uint64_t> keys;
};

void residual_norm(benchmark::State& state) {
  Norm norm(state.range(0));
  measure(state, "GB/s", gigabytes(4, kTokens, state.range(0)),
          [&] { cpu_kernels().residual_norm(norm.args(), exec_with(state.range(1))); });
}
BENCHMARK(residual_norm)->Apply(widths);

void residual_norm_backward(benchmark::State& state) {
  Norm norm(state.range(0));
  Matrix ds(kTokens, state.range(0));
  cpu_kernels().residual_norm(norm.args(), exec_with(1));
  const ResidualNormBackwardArgs args = {.forward = norm.args(),
                                         .dy = norm.y.view(),
                                         .ds = ds.view(),
                                         .dx = norm.x.view(),
                                         .dr = norm.r.view(),
                                         .dweight = norm.weight.view(),
                                         .dbias = norm.bias.view()};
  measure(state, "GB/s", gigabytes(5, kTokens, state.range(0)),
          [&] { cpu_kernels().residual_norm_backward(args, exec_with(state.range(1))); });
}
BENCHMARK(residual_norm_backward)->Apply(widths);

void dropout(benchmark::State& state) {
  Matrix x(kTokens, state.range(0));
  Matrix y(kTokens, state.range(0));
  const std::vector<std::uint64_t> keys = row_keys(kTokens);
  const DropoutArgs args = {x.view(), y.view(), keys.data(), Dropout::with(0.1, 1, 2)};
  measure(state, "GB/s", gigabytes(2, kTokens, state.range(0)),
          [&] { cpu_kernels().dropout(args, exec_with(state.range(1))); });
}
BENCHMARK(dropout)->Apply(widths);

void bias_activation_backward(benchmark::State& state) {
  Matrix y(kTokens, state.range(0));
  Matrix dy(kTokens, state.range(0));
  Matrix bias(1, state.range(0));
  const BiasActivationBackwardArgs args = {y.view(), dy.view(), bias.view(), Activation::relu};
  measure(state, "GB/s", gigabytes(3, kTokens, state.range(0)),
          [&] { cpu_kernels().bias_activation_backward(args, exec_with(state.range(1))); });
}
BENCHMARK(bias_activation_backward)->Apply(widths);

void gelu(benchmark::State& state) {
  Matrix x(kTokens, state.range(0), 4.0F);
  Matrix y(kTokens, state.range(0));
  measure(state, "GB/s", gigabytes(2, kTokens, state.range(0)), [&] {
    cpu_kernels().gelu({x.view(), y.view()}, exec_with(state.range(1)));
  });
}
BENCHMARK(gelu)->Apply(widths);

// Gradients of the activations of GPT-2, T5 and Llama.
void slopes(benchmark::State& state, Kernel<RowsBackwardArgs> Kernels::*kernel) {
  Matrix x(kTokens, state.range(0), 4.0F);
  Matrix dy(kTokens, state.range(0));
  Matrix dx(kTokens, state.range(0));
  measure(state, "GB/s", gigabytes(3, kTokens, state.range(0)), [&] {
    (cpu_kernels().*kernel)({x.view(), dy.view(), dx.view()}, exec_with(state.range(1)));
  });
}
BENCHMARK_CAPTURE(slopes, gelu, &Kernels::gelu_backward)->Apply(widths);
BENCHMARK_CAPTURE(slopes, gelu_tanh, &Kernels::gelu_tanh_backward)->Apply(widths);
BENCHMARK_CAPTURE(slopes, silu, &Kernels::silu_backward)->Apply(widths);

void rms_norm_backward(benchmark::State& state) {
  const std::int64_t d = state.range(0);
  Matrix x(kTokens, d);
  Matrix y(kTokens, d);
  Matrix dx(kTokens, d);
  Matrix weight(1, d);
  Matrix dweight(1, d);
  Matrix statistics(kTokens, 1);
  const RmsNormArgs forward = {
      .x = x.view(), .y = y.view(), .weight = weight.view(), .statistics = statistics.view()};
  cpu_kernels().rms_norm(forward, exec_with(1));
  const RmsNormBackwardArgs args = {
      .forward = forward, .dy = y.view(), .dx = dx.view(), .dweight = dweight.view()};
  measure(state, "GB/s", gigabytes(3, kTokens, d),
          [&] { cpu_kernels().rms_norm_backward(args, exec_with(state.range(1))); });
}
BENCHMARK(rms_norm_backward)->Apply(widths);

void add(benchmark::State& state) {
  Matrix a(kTokens, state.range(0));
  Matrix y(kTokens, state.range(0));
  measure(state, "GB/s", gigabytes(3, kTokens, state.range(0)), [&] {
    cpu_kernels().add({.a = a.view(), .b = y.view(), .y = y.view(), .beta = 0.5F},
                      exec_with(state.range(1)));
  });
}
BENCHMARK(add)->Apply(widths);

struct Embedding {
  Embedding(std::int64_t vocabulary, std::int64_t d)
      : table(vocabulary, d),
        positions(64, d),
        y(kTokens, d),
        ids(kTokens),
        position_ids(kTokens),
        keys(row_keys(kTokens)) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<std::int32_t>(mix(i, 3) % static_cast<std::uint64_t>(vocabulary));
      position_ids[i] = static_cast<std::int32_t>(i % 32);
    }
  }
  EmbedArgs args() {
    return {.ids = ids.data(),
            .position_ids = position_ids.data(),
            .row_keys = keys.data(),
            .table = table.view(),
            .positions = positions.view(),
            .y = y.view(),
            .scale = 11.0F,
            .dropout = Dropout::with(0.1, 1, 2)};
  }
  Matrix table, positions, y;
  std::vector<std::int32_t> ids, position_ids;
  std::vector<std::uint64_t> keys;
};

void tables(benchmark::internal::Benchmark* each) {
  briefly(each);
  each->ArgNames({"vocabulary", "d", "threads"});
  for (const std::int64_t threads : {1, 2}) {
    each->Args({8000, 128, threads})->Args({37056, 512, threads});
  }
}

void embed(benchmark::State& state) {
  Embedding embedding(state.range(0), state.range(1));
  measure(state, "GB/s", gigabytes(2, kTokens, state.range(1)),
          [&] { cpu_kernels().embed(embedding.args(), exec_with(state.range(2))); });
}
BENCHMARK(embed)->Apply(tables);

void embed_backward(benchmark::State& state) {
  Embedding embedding(state.range(0), state.range(1));
  const EmbedBackwardArgs args = {embedding.args(), embedding.table.view(), {}};
  measure(state, "GB/s", gigabytes(3, kTokens, state.range(1)),
          [&] { cpu_kernels().embed_backward(args, exec_with(state.range(2))); });
}
BENCHMARK(embed_backward)->Apply(tables);

}  // namespace
}  // namespace yona::bench
