// Attention on a GPU, forward and backward, over sentences of equal length: 24,576 tokens, heads as
// tiny, base and gpt2-small have them; and one sentence of 16,384 tokens, exact (window 0) and by
// patterns. Work counts the scores that a query sees. Run with and without YONA_CUDNN=0 to compare
// with cuDNN where it is linked.

#include <cmath>

#include "bench/ops/cuda/device.h"

namespace yona::bench {
namespace {

constexpr std::int64_t kTokens = 24'576;
constexpr std::int64_t kLongTokens = 16'384;

// Offsets of sentences of one length, on the device.
class Offsets {
 public:
  Offsets(std::int64_t tokens, std::int64_t length) {
    std::vector<std::int64_t> host;
    for (std::int64_t at = 0; at <= tokens; at += length) {
      host.push_back(at);
    }
    bytes_ = static_cast<std::int64_t>(host.size() * sizeof(std::int64_t));
    memory_ = gpu().reserve(bytes_);
    gpu().commit(memory_, bytes_);
    gpu().upload(memory_, host.data(), bytes_);
    gpu().synchronize();
  }
  ~Offsets() { gpu().release(memory_, bytes_); }
  Offsets(const Offsets&) = delete;
  Offsets& operator=(const Offsets&) = delete;

  const std::int64_t* data() const { return static_cast<const std::int64_t*>(memory_); }

 private:
  std::int64_t bytes_ = 0;
  void* memory_ = nullptr;
};

struct Problem {
  bool backward = false, causal = false;
  std::int64_t tokens = kTokens, length = 0, heads = 0, d_k = 0;
  AttentionPattern pattern{};
  double seen = 0;  // keys of a query, on average
};

void measure_attention(benchmark::State& state, const Problem& p) {
  on_gpu(state, [&] {
    const std::int64_t width = p.heads * p.d_k;
    const DeviceMatrix q(p.tokens, width), k(p.tokens, width), v(p.tokens, width);
    const DeviceMatrix out(p.tokens, width), dout(p.tokens, width);
    const DeviceMatrix dq(p.tokens, width), dk(p.tokens, width), dv(p.tokens, width);
    const DeviceMatrix lse(p.tokens, p.heads, DType::f32);
    const Offsets offsets(p.tokens, p.length);
    const AttentionArgs args{.q = q.view(),
                             .k = k.view(),
                             .v = v.view(),
                             .out = out.view(),
                             .lse = lse.view(),
                             .q_offsets = offsets.data(),
                             .k_offsets = offsets.data(),
                             .sentences = p.tokens / p.length,
                             .longest_q = p.length,
                             .longest_k = p.length,
                             .lengths_q = length_class(p.length),
                             .lengths_k = length_class(p.length),
                             .heads = p.heads,
                             .d_k = p.d_k,
                             .d_v = p.d_k,
                             .scale = 1.0F / std::sqrt(static_cast<float>(p.d_k)),
                             .mask = p.causal ? Mask::causal : Mask::none,
                             .pattern = p.pattern};
    const AttentionBackwardArgs gradient{
        .forward = args, .dout = dout.view(), .dq = dq.view(), .dk = dk.view(), .dv = dv.view()};
    gpu().kernels().attention(args, gpu().exec());
    // Two products forward, five backward.
    const double work =
        2.0 * (p.backward ? 5.0 : 2.0) * p.seen * static_cast<double>(p.tokens * width);
    measure_call(state, work, peak_flops(), [&] {
      if (p.backward) {
        gpu().kernels().attention_backward(gradient, gpu().exec());
      } else {
        gpu().kernels().attention(args, gpu().exec());
      }
    });
  });
}

void cuda_attention(benchmark::State& state) {
  const bool causal = state.range(1) != 0;
  const std::int64_t length = state.range(2);
  measure_attention(state, {.backward = state.range(0) != 0,
                            .causal = causal,
                            .length = length,
                            .heads = state.range(3),
                            .d_k = state.range(4),
                            .seen = static_cast<double>(length) * (causal ? 0.5 : 1.0)});
}

void attention_sizes(benchmark::internal::Benchmark* each) {
  each->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.2);
  each->ArgNames({"backward", "causal", "length", "heads", "d_k"});
  for (const std::int64_t backward : {0, 1}) {
    for (const std::int64_t length : {32, 64, 128, 256, 512, 1024}) {
      each->Args({backward, 0, length, 8, 64});
      each->Args({backward, 1, length, 12, 64});
    }
    each->Args({backward, 0, 32, 4, 32});
    each->Args({backward, 1, 1024, 6, 128});
  }
}
BENCHMARK(cuda_attention)->Apply(attention_sizes);

// One sentence, 12 heads of 64. window: keys of a query, 0 for exact attention; dilation 1 for a
// sliding window; with block > 0 a list of blocks instead: its own, its neighbours, the first, and
// two random ones (BigBird).
void cuda_pattern_attention(benchmark::State& state) {
  const bool causal = state.range(1) != 0;
  const std::int64_t window = state.range(2);
  const std::int64_t block = state.range(4);
  Problem p{.backward = state.range(0) != 0,
            .causal = causal,
            .tokens = kLongTokens,
            .length = kLongTokens,
            .heads = 12,
            .d_k = 64};
  p.seen = static_cast<double>(kLongTokens) * (causal ? 0.5 : 1.0);
  if (block > 0) {
    p.pattern.block = block;
    p.pattern.neighbours = 1;
    p.pattern.global_blocks = 1;
    p.pattern.random_blocks = 2;
    p.pattern.earlier = causal;
    p.seen = static_cast<double>(block) * (causal ? 4.5 : 6.0);
  } else if (window > 0) {
    p.pattern.before = causal ? window - 1 : window / 2;
    p.pattern.after = causal ? 0 : window / 2;
    p.pattern.dilation = state.range(3);
    p.seen = static_cast<double>(window);
  }
  measure_attention(state, p);
}

void pattern_sizes(benchmark::internal::Benchmark* each) {
  each->UseManualTime()->Unit(benchmark::kMicrosecond)->MinTime(0.2);
  each->ArgNames({"backward", "causal", "window", "dilation", "block"});
  for (const std::int64_t backward : {0, 1}) {
    for (const std::int64_t causal : {0, 1}) {
      each->Args({backward, causal, 0, 1, 0});
      each->Args({backward, causal, 512, 1, 0});
      each->Args({backward, causal, 512, 4, 0});
      each->Args({backward, causal, 0, 1, 64});
    }
  }
}
BENCHMARK(cuda_pattern_attention)->Apply(pattern_sizes);

}  // namespace
}  // namespace yona::bench
