// A recurrent layer of a training step on a CPU. GFLOP/s count the products alone. The other side
// is bench/peers/torch_lstm.py.

#include "bench/ops/bench.h"
#include "bench/ops/lstm_step.h"

namespace yona::bench {
namespace {

void lstm(benchmark::State& state) {
  const std::unique_ptr<Backend> backend =
      make_backend("cpu", {.threads = static_cast<int>(state.range(1))});
  LstmStep step(*backend, state.range(0), 84, Precision::f32);
  measure(state, "GFLOP/s", 1e-9 * step.flops(), [&] { step.run(); });
}

void sizes(benchmark::internal::Benchmark* each) {
  briefly(each);
  each->ArgNames({"d", "threads"})->ArgsProduct({{128, 256, 512}, {1, 2}});
}
BENCHMARK(lstm)->Apply(sizes);

}  // namespace
}  // namespace yona::bench
