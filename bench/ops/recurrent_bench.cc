// A recurrent layer of a training step, forward and backward with the gradients of its weights and
// inputs: sentences of 8 to 40 tokens. GFLOP/s count the products alone. The other side is
// bench/peers/torch_lstm.py, with the same lengths.

#include "yona/nn/parameters.h"
#include "yona/nn/recurrent.h"
#include "yona/tensor/ops/recurrent.h"

#include "bench/ops/bench.h"

namespace yona::bench {
namespace {

void lstm(benchmark::State& state) {
  const std::int64_t d = state.range(0);
  const std::unique_ptr<Backend> backend =
      make_backend("cpu", {.threads = static_cast<int>(state.range(1))});
  Recurrent layer(d, d, Cell::lstm);
  Parameters parameters(layer, *backend, Gradients::yes);
  parameters.initialise(1);
  Region region(*backend);
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t s = 0; s < 84; ++s) {
    offsets.push_back(offsets.back() + 8 + (s * 13) % 33);
  }
  const auto layout = make_layout(offsets, {}, region);
  const Tensor x = Tensor(region, DType::f32, Shape{layout->tokens, d});
  std::vector<float> values(static_cast<std::size_t>(x.elements()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i * 2654435761U % 1000) * 1e-3F - 0.5F;
  }
  x.upload(values);
  x.set_requires_gradient();
  Tape tape;
  Context c{.region = region, .tape = &tape, .training = true};
  const double flops = 6.0 * 4 * 2 * static_cast<double>(d * d * layout->tokens);
  measure(state, "GFLOP/s", 1e-9 * flops, [&] {
    const TimeOrder order = time_order(*layout, Direction::forward, region);
    const Tensor y = layer(x, order, {}, c);
    const GradientTarget dy = gradient_target(y, region);
    backend->kernels().fill({.y = dy.view(), .value = 1.0F}, backend->exec());
    tape.backward();
    x.storage()->gradient = {};
  });
}

void sizes(benchmark::internal::Benchmark* each) {
  briefly(each);
  each->ArgNames({"d", "threads"})->ArgsProduct({{128, 256, 512}, {1, 2}});
}
BENCHMARK(lstm)->Apply(sizes);

}  // namespace
}  // namespace yona::bench
