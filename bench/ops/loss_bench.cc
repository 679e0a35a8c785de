// Cross-entropy and R-Drop on a chunk of logits, with the gradient in place.

#include "bench/ops/bench.h"

namespace yona::bench {
namespace {

// The chunks of the vocabulary projection: `tiny` and `base`.
void chunks(benchmark::internal::Benchmark* each) {
  briefly(each);
  each->ArgNames({"rows", "vocabulary", "threads"});
  for (const std::int64_t threads : {1, 2}) {
    each->Args({512, 8000, threads})->Args({128, 37056, threads});
  }
}

struct Loss {
  Loss(std::int64_t rows, std::int64_t vocabulary)
      : logits(rows, vocabulary, 3.0F),
        losses(rows, 2),
        targets(static_cast<std::size_t>(rows)),
        scales(static_cast<std::size_t>(rows), 1.0F) {}
  CrossEntropyArgs args() {
    return {.logits = logits.view(),
            .targets = targets.data(),
            .row_scale = scales.data(),
            .losses = losses.view(),
            .smoothing = 0.1F,
            .gradient = true};
  }
  Matrix logits, losses;
  std::vector<std::int32_t> targets;
  std::vector<float> scales;
};

void cross_entropy(benchmark::State& state) {
  Loss loss(state.range(0), state.range(1));
  const double bytes = 8e-9 * static_cast<double>(state.range(0) * state.range(1));
  measure(state, "GB/s", bytes,
          [&] { cpu_kernels().cross_entropy(loss.args(), exec_with(state.range(2))); });
}
BENCHMARK(cross_entropy)->Apply(chunks);

void rdrop(benchmark::State& state) {
  Loss first(state.range(0), state.range(1));
  Loss second(state.range(0), state.range(1));
  const double bytes = 16e-9 * static_cast<double>(state.range(0) * state.range(1));
  measure(state, "GB/s", bytes, [&] {
    cpu_kernels().rdrop({first.args(), second.args(), 1.0F}, exec_with(state.range(2)));
  });
}
BENCHMARK(rdrop)->Apply(chunks);

}  // namespace
}  // namespace yona::bench
