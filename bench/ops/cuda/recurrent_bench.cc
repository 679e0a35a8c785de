// A recurrent layer of a training step on a GPU. The share of the peak counts the products alone.
// The other side is bench/peers/torch_lstm.py --device cuda, which runs cuDNN's.

#include "bench/ops/cuda/device.h"
#include "bench/ops/lstm_step.h"

namespace yona::bench {
namespace {

void cuda_lstm(benchmark::State& state) {
  on_gpu(state, [&] {
    const Precision precision = state.range(2) != 0 ? Precision::bf16 : Precision::f32;
    LstmStep step(gpu(), state.range(0), state.range(1), precision);
    measure_call(state, step.flops(), peak_flops(), [&] { step.run(); });
  });
}

void sizes(benchmark::internal::Benchmark* each) {
  each->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.2);
  each->ArgNames({"d", "sentences", "bf16"})->ArgsProduct({{256, 512, 1024}, {84, 512}, {0, 1}});
}
BENCHMARK(cuda_lstm)->Apply(sizes);

}  // namespace
}  // namespace yona::bench
