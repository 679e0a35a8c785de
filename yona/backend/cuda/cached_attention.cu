// Attention of single queries over the rows of a cache, for decoding. A warp takes a row and head:
// its lanes are channels, and keys come one after another (online softmax).

#include "yona/backend/cuda/registration.h"
#include "yona/backend/cuda/rows.cuh"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

constexpr int kWidestHead = 512;
constexpr int kChannels = kWidestHead / kLanes;  // of a lane

template <class T>
struct Cached {
  Rows<T> q, k, v, out;
  Rows<float> vector;
  const std::int32_t* table = nullptr;
  std::int64_t table_stride = 0;
  const std::int64_t* first = nullptr;
  const std::int32_t* counts = nullptr;
  std::int64_t rows = 0;
  int heads = 1, d_k = 0, d_v = 0;
  float scale = 1.0F;

  __device__ std::int64_t key_row(std::int64_t row, int j) const {
    return table != nullptr ? std::int64_t{table[row * table_stride + j]} : first[row] + j;
  }
};

template <class T>
__device__ float score_of(const Cached<T>& c, const T* q, const T* k, int head, int lane) {
  float sum = 0.0F;
  for (int i = lane; i < c.d_k; i += kLanes) {
    sum += c.vector.there() ? c.vector.row(head)[i] * tanhf(to_float(q[i]) + to_float(k[i]))
                            : to_float(q[i]) * to_float(k[i]) * c.scale;
  }
  return warp_sum(sum);
}

template <class T>
__global__ void __launch_bounds__(kThreads) cached_attention_kernel(Cached<T> c) {
  const std::int64_t item =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (item >= c.rows * c.heads) {
    return;
  }
  const std::int64_t row = item / c.heads;
  const auto head = static_cast<int>(item % c.heads);
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const T* q = c.q.row(row) + head * c.d_k;
  float largest = -INFINITY;
  float total = 0.0F;
  float sums[kChannels] = {};
  for (int j = 0; j < c.counts[row]; ++j) {
    const std::int64_t key = c.key_row(row, j);
    const float score = score_of(c, q, c.k.row(key) + head * c.d_k, head, lane);
    const float top = fmaxf(largest, score);
    const float base = top == -INFINITY ? 0.0F : top;
    const float correction = expf(largest - base);
    const float weight = expf(score - base);
    largest = top;
    total = total * correction + weight;
    const T* v = c.v.row(key) + head * c.d_v;
#pragma unroll
    for (int i = 0; i < kChannels; ++i) {
      const int channel = i * kLanes + lane;
      if (channel < c.d_v) {
        sums[i] = sums[i] * correction + weight * to_float(v[channel]);
      }
    }
  }
  T* out = c.out.row(row) + head * c.d_v;
#pragma unroll
  for (int i = 0; i < kChannels; ++i) {
    const int channel = i * kLanes + lane;
    if (channel < c.d_v) {
      out[channel] = from_float<T>(total > 0.0F ? sums[i] / total : 0.0F);
    }
  }
}

void cached_attention(const CachedAttentionArgs& args, Exec& exec) {
  check<NotImplemented>(args.d_v <= kWidestHead,
                        "cached_attention: heads of {} channels are wider than the {} of the cuda "
                        "backend",
                        args.d_v, kWidestHead);
  if (args.q.rows * args.heads == 0) {
    return;
  }
  with_type(args.q.dtype, "cached_attention", [&](auto t) {
    using T = decltype(t);
    const Cached<T> cached{rows_of<T>(args.q),
                           rows_of<T>(args.k),
                           rows_of<T>(args.v),
                           rows_of<T>(args.out),
                           args.vector ? rows_of<float>(args.vector) : Rows<float>{},
                           args.table,
                           args.table_stride,
                           args.first,
                           args.counts,
                           args.q.rows,
                           static_cast<int>(args.heads),
                           static_cast<int>(args.d_k),
                           static_cast<int>(args.d_v),
                           args.scale};
    cached_attention_kernel<<<blocks_for(args.q.rows * args.heads, kWarps), kThreads, 0,
                              stream_of(exec)>>>(cached);
  });
  check_launch("cached_attention");
}

const Registration registration([](Kernels& table) { table.cached_attention = cached_attention; });

}  // namespace
}  // namespace yona::cuda
