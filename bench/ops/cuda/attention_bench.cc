// Attention on a GPU, forward and backward, over sentences of equal length: 24,576 tokens, heads as
// tiny, base and gpt2-small have them. Work counts the scores that a query sees. Run with and
// without YONA_CUDNN=0 to compare with cuDNN where it is linked.

#include <cmath>

#include "bench/ops/cuda/device.h"

namespace yona::bench {
namespace {

constexpr std::int64_t kTokens = 24'576;

// Offsets of sentences of one length, on the device.
class Offsets {
 public:
  explicit Offsets(std::int64_t length) {
    std::vector<std::int64_t> host;
    for (std::int64_t at = 0; at <= kTokens; at += length) {
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

void cuda_attention(benchmark::State& state) {
  on_gpu(state, [&] {
    const bool backward = state.range(0) != 0;
    const bool causal = state.range(1) != 0;
    const std::int64_t length = state.range(2);
    const std::int64_t heads = state.range(3);
    const std::int64_t width = heads * state.range(4);
    const DeviceMatrix q(kTokens, width), k(kTokens, width), v(kTokens, width);
    const DeviceMatrix out(kTokens, width), dout(kTokens, width);
    const DeviceMatrix dq(kTokens, width), dk(kTokens, width), dv(kTokens, width);
    const DeviceMatrix lse(kTokens, heads, DType::f32);
    const Offsets offsets(length);
    const AttentionArgs args{.q = q.view(),
                             .k = k.view(),
                             .v = v.view(),
                             .out = out.view(),
                             .lse = lse.view(),
                             .q_offsets = offsets.data(),
                             .k_offsets = offsets.data(),
                             .sentences = kTokens / length,
                             .longest_q = length,
                             .longest_k = length,
                             .lengths_q = length_class(length),
                             .lengths_k = length_class(length),
                             .heads = heads,
                             .d_k = state.range(4),
                             .d_v = state.range(4),
                             .scale = 1.0F / std::sqrt(static_cast<float>(state.range(4))),
                             .mask = causal ? Mask::causal : Mask::none};
    const AttentionBackwardArgs gradient{
        .forward = args, .dout = dout.view(), .dq = dq.view(), .dk = dk.view(), .dv = dv.view()};
    gpu().kernels().attention(args, gpu().exec());
    // Two products forward, five backward; half of the scores with a causal mask.
    const double products = (backward ? 5.0 : 2.0) * (causal ? 0.5 : 1.0);
    const double work = 2.0 * products * static_cast<double>(kTokens * length * width);
    measure_call(state, work, peak_flops(), [&] {
      if (backward) {
        gpu().kernels().attention_backward(gradient, gpu().exec());
      } else {
        gpu().kernels().attention(args, gpu().exec());
      }
    });
  });
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

}  // namespace
}  // namespace yona::bench
