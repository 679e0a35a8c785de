// Attention of a training step, forward and backward: 2,000 tokens in sentences of 32 at the sizes
// of the presets, and one sentence of 64 to 16,384 tokens. GFLOP/s count the products alone (two
// forward, five backward, half of them under the causal mask), without exponentials and dropout;
// hold them against peak_multiply_add. "scratch_MB" is what the call added to the process' peak.

#include <sys/resource.h>

#include "bench/ops/bench.h"

namespace yona::bench {
namespace {

enum Kind : std::int64_t { self, causal, cross };

struct Sizes {
  std::int64_t tokens, length, heads, d;
};

// q, k and v are columns of one matrix, as the fused projection leaves them; in cross attention k
// and v come from another one.
struct Attention {
  Attention(const Sizes& sizes, Kind kind, double dropout)
      : width(sizes.heads * sizes.d),
        packed(sizes.tokens, 3 * width),
        gradient(sizes.tokens, 3 * width),
        memory(sizes.tokens, 2 * width),
        memory_gradient(sizes.tokens, 2 * width),
        out(sizes.tokens, width),
        dout(sizes.tokens, width),
        lse(sizes.tokens, sizes.heads),
        keys(row_keys(sizes.tokens)) {
    for (std::int64_t token = 0; token < sizes.tokens; token += sizes.length) {
      offsets.push_back(token);
    }
    offsets.push_back(sizes.tokens);
    const bool apart = kind == cross;
    forward = {.q = columns(packed, 0),
               .k = apart ? columns(memory, 0) : columns(packed, 1),
               .v = apart ? columns(memory, 1) : columns(packed, 2),
               .out = out.view(),
               .lse = lse.view(),
               .q_offsets = offsets.data(),
               .k_offsets = offsets.data(),
               .sentences = static_cast<std::int64_t>(offsets.size()) - 1,
               .longest_q = sizes.length,
               .longest_k = sizes.length,
               .heads = sizes.heads,
               .d_k = sizes.d,
               .d_v = sizes.d,
               .scale = 1.0F / static_cast<float>(sizes.d),
               .mask = kind == causal ? Mask::causal : Mask::none,
               .q_keys = keys.data(),
               .dropout = Dropout::with(dropout, 1, 2)};
    backward = {.forward = forward,
                .dout = dout.view(),
                .dq = columns(gradient, 0),
                .dk = apart ? columns(memory_gradient, 0) : columns(gradient, 1),
                .dv = apart ? columns(memory_gradient, 1) : columns(gradient, 2)};
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const auto length = static_cast<double>(offsets[s + 1] - offsets[s]);
      product_gflop += 2e-9 * length * length * static_cast<double>(width);
    }
    product_gflop *= kind == causal ? 0.5 : 1.0;
  }

  View columns(Matrix& matrix, std::int64_t part) const {
    View view = matrix.view();
    view.cols = width;
    view.data = view.row<float>(0) + part * width;
    return view;
  }

  std::int64_t width;
  Matrix packed, gradient, memory, memory_gradient, out, dout, lse;
  std::vector<std::uint64_t> keys;
  std::vector<std::int64_t> offsets;
  AttentionArgs forward;
  AttentionBackwardArgs backward;
  double product_gflop = 0;  // of one of the seven
};

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void measure_both(benchmark::State& state, Attention& attention, bool forward, Exec& exec) {
  const double before = peak_megabytes();
  if (forward) {
    measure(state, "GFLOP/s", 2 * attention.product_gflop,
            [&] { cpu_kernels().attention(attention.forward, exec); });
  } else {
    cpu_kernels().attention(attention.forward, exec);
    measure(state, "GFLOP/s", 5 * attention.product_gflop,
            [&] { cpu_kernels().attention_backward(attention.backward, exec); });
  }
  state.counters["scratch_MB"] = peak_megabytes() - before;
}

void attention_presets(benchmark::State& state) {
  const bool tiny = state.range(1) == 32;
  Attention attention({2000, 32, state.range(2), state.range(1)}, static_cast<Kind>(state.range(3)),
                      tiny ? 0.3 : 0.1);
  measure_both(state, attention, state.range(0) == 0, exec_with(state.range(4)));
}

void presets(benchmark::internal::Benchmark* each) {
  briefly(each);
  each->ArgNames({"backward", "d", "heads", "kind", "threads"});
  for (const std::int64_t threads : {1, 2}) {
    for (const std::int64_t backward : {0, 1}) {
      for (const std::int64_t kind : {self, causal, cross}) {
        each->Args({backward, 32, 4, kind, threads});  // tiny
        each->Args({backward, 64, 8, kind, threads});  // base
      }
      each->Args({backward, 128, 4, self, threads});  // iwslt
      each->Args({backward, 512, 1, self, threads});  // the paper's table 3, row A
    }
  }
}
BENCHMARK(attention_presets)->Apply(presets);

void attention_length(benchmark::State& state) {
  const std::int64_t length = state.range(1);
  Attention attention({length, length, 8, 64}, static_cast<Kind>(state.range(2)), 0.0);
  measure_both(state, attention, state.range(0) == 0, exec_with(state.range(3)));
}

void lengths(benchmark::internal::Benchmark* each) {
  briefly(each);
  each->ArgNames({"backward", "length", "kind", "threads"});
  for (const std::int64_t backward : {0, 1}) {
    for (const std::int64_t kind : {self, causal}) {
      for (std::int64_t length = 64; length <= 16384; length *= 4) {
        each->Args({backward, length, kind, 2});
      }
    }
  }
}
BENCHMARK(attention_length)->Apply(lengths);

// One causal sentence of 16,384 tokens, each of which sees 512: compare with attention_length.
// GFLOP/s count what a window sees.
void attention_window(benchmark::State& state) {
  constexpr std::int64_t kLength = 16384;
  constexpr std::int64_t kWindow = 512;
  Attention attention({kLength, kLength, 8, 64}, causal, 0.0);
  attention.forward.pattern.before = attention.backward.forward.pattern.before = kWindow - 1;
  attention.product_gflop *= 2.0 * kWindow / kLength;
  measure_both(state, attention, state.range(0) == 0, exec_with(2));
}
BENCHMARK(attention_window)->ArgName("backward")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace yona::bench
