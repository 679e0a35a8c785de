// Matrix products of a training step: forward x·Wᵀ, gradients dy·W and dW += dyᵀ·x, and the
// projection onto the vocabulary, at the sizes of the presets, compared with oneDNN's two ways of
// multiplying one slice, which the rules in matmul.cc choose between.

#include "yona/backend/cpu/onednn.h"

#include "bench/ops/bench.h"

namespace yona::bench {
namespace {

enum Kind : std::int64_t { forward, input_gradient, weight_gradient };

// T tokens, a weight [out, in].
void matmul(benchmark::State& state) {
  const auto kind = static_cast<Kind>(state.range(0));
  const std::int64_t T = state.range(1);
  const std::int64_t out = state.range(2);
  const std::int64_t in = state.range(3);
  Exec& exec = exec_with(state.range(4));
  Matrix x(T, in);
  Matrix weight(out, in);
  Matrix y(T, out);
  Matrix bias(1, out);
  MatmulArgs args;
  switch (kind) {
    case forward:
      args = {.a = x.view(),
              .b = weight.view(),
              .c = y.view(),
              .transpose_b = true,
              .bias = bias.view()};
      break;
    case input_gradient:
      args = {.a = y.view(), .b = weight.view(), .c = x.view()};
      break;
    case weight_gradient:
      args = {.a = y.view(),
              .b = x.view(),
              .c = weight.view(),
              .transpose_a = true,
              .accumulate = true};
      break;
  }
  const double work = 2e-9 * static_cast<double>(T) * static_cast<double>(out * in);
  measure(state, "GFLOP/s", work, [&] { cpu_kernels().matmul(args, exec); });
}

void sizes(benchmark::internal::Benchmark* each) {
  each->ArgNames({"kind", "T", "out", "in", "threads"});
  for (const std::int64_t threads : {1, 2}) {
    for (const std::int64_t kind : {forward, input_gradient, weight_gradient}) {
      for (const auto& [T, out, in] :
           std::vector<std::array<std::int64_t, 3>>{{2000, 384, 128},
                                                    {2000, 128, 128},
                                                    {2000, 256, 128},
                                                    {2000, 128, 256},
                                                    {512, 8000, 128},  // tiny
                                                    {2000, 1536, 512},
                                                    {2000, 2048, 512},
                                                    {2000, 512, 2048},  // base
                                                    {128, 37056, 512},
                                                    {1987, 512, 512}}) {
        each->Args({kind, T, out, in, threads});
      }
    }
  }
}
BENCHMARK(matmul)->Apply(briefly)->Apply(sizes);

// One slice by oneDNN on one thread: way 0 is a primitive, 1 sgemm.
void slice(benchmark::State& state) {
  const bool by_sgemm = state.range(0) != 0;
  const bool transpose_a = state.range(1) != 0;
  const std::int64_t m = state.range(2);
  const std::int64_t n = state.range(3);
  const std::int64_t k = state.range(4);
  Matrix a(m, k);
  Matrix b(n, k);
  Matrix c(m, n);
  const cpu::ProductShape shape = {.m = m,
                                   .n = n,
                                   .k = k,
                                   .lda = transpose_a ? m : k,
                                   .ldb = transpose_a ? n : k,
                                   .ldc = n,
                                   .transpose_a = transpose_a,
                                   .transpose_b = !transpose_a,
                                   .accumulate = transpose_a};
  const cpu::ProductData data = {a.data(), b.data(), c.data()};
  const double work = 2e-9 * static_cast<double>(m) * static_cast<double>(n * k);
  measure(state, "GFLOP/s", work,
          [&] { by_sgemm ? cpu::run_sgemm(shape, data) : cpu::run_primitive(shape, data); });
}

void slice_sizes(benchmark::internal::Benchmark* each) {
  each->ArgNames({"sgemm", "ta", "m", "n", "k"});
  for (const auto& [ta, m, n, k] : std::vector<std::array<std::int64_t, 4>>{{0, 256, 128, 128},
                                                                            {0, 256, 384, 128},
                                                                            {0, 256, 2048, 128},
                                                                            {0, 128, 512, 512},
                                                                            {0, 256, 512, 512},
                                                                            {1, 32, 128, 2000},
                                                                            {1, 48, 128, 2000},
                                                                            {1, 64, 128, 2000},
                                                                            {1, 512, 128, 512},
                                                                            {1, 128, 512, 2000}}) {
    for (const std::int64_t way : {0, 1}) {
      each->Args({way, ta, m, n, k});
    }
  }
}
BENCHMARK(slice)->Apply(briefly)->Apply(slice_sizes);

}  // namespace
}  // namespace yona::bench
