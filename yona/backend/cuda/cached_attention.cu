// Attention of single queries over the rows of a cache, for decoding; keys and values of the step
// itself are put into the cache on the way.
//
// Heads of 32, 64 and 128 channels: eight channels to a lane, so that a warp, which takes a row and
// head, has several keys at once, each group of lanes with an online softmax of its own; two keys
// of a group are on their way together. A block has four neighbouring rows, which mostly are beams
// of one sentence: what one of them reads is in the cache for the others. Rows of different
// sequences have a block for each head, whose warps share the keys. Other heads and scores:
// lanes are channels, and keys come one after another. Heads of 64 channels in bf16 and f16
// mostly have tensor cores (attention/cached_mma.cu).

#include <algorithm>
#include <limits>

#include "yona/backend/cuda/attention/cached.cuh"
#include "yona/backend/cuda/attention/performer_score.cuh"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

constexpr int kWidestHead = 512;
constexpr int kChannels = kWidestHead / kLanes;  // of a lane
constexpr int kBlockRows = 4;
constexpr int kBlockHeads = kWarps / kBlockRows;

// The rows of the cache that one query sees; the last one is its own when there are fresh ones.
struct Seen {
  const std::int32_t* table;
  std::int64_t first;
  int earlier, place, count;

  template <class T>
  __device__ Seen(const Cached<T>& c, std::int64_t row)
      : table(c.table != nullptr ? c.table + row * c.table_stride : nullptr),
        first(c.table != nullptr ? 0 : c.first[row]),
        earlier(c.counts[row]),
        place(c.fresh.there() ? c.places[row] : -1),
        count(!c.fresh.there() ? earlier
              : place < 0      ? 0
                               : earlier + 1) {}

  __device__ std::int64_t row(int j) const {
    return j == earlier       ? std::int64_t{place}
           : table != nullptr ? std::int64_t{table[j]}
                              : first + j;
  }
};

// What the head adds to the score of seen row j, by its distance from the last one.
template <class T>
__device__ float bias_of(const Cached<T>& c, const Seen& seen, int head, int j) {
  const int reach = static_cast<int>(c.bias.cols) / 2;
  return c.bias.row(head)[max(j + 1 - seen.count, -reach) + reach];
}

// One head of the row's fresh key and value, by all lanes of a warp.
template <class T>
__device__ void put_fresh(const Cached<T>& c, std::int64_t row, int place, int head, int lane) {
  if (place < 0) {
    return;
  }
  const T* k = c.fresh.row(row) + head * c.d_k;
  const T* v = c.fresh.row(row) + c.heads / c.heads_per_kv * c.d_k + head * c.d_v;
  for (int i = lane; i < c.d_k; i += kLanes) {
    c.k.row(place)[head * c.d_k + i] = k[i];
  }
  for (int i = lane; i < c.d_v; i += kLanes) {
    c.v.row(place)[head * c.d_v + i] = v[i];
  }
  __syncwarp();
}

// Where heads of queries share keys: before any of them reads. A warp to each row and head of keys.
template <class T>
__global__ void __launch_bounds__(kThreads) put_fresh_kernel(Cached<T> c) {
  const int kv_heads = c.heads / c.heads_per_kv;
  const std::int64_t item =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (item < c.rows * kv_heads) {
    const std::int64_t row = item / kv_heads;
    put_fresh(c, row, c.places[row], static_cast<int>(item % kv_heads),
              static_cast<int>(threadIdx.x) % kLanes);
  }
}

template <class T>
__device__ float score_of(const Cached<T>& c, const T* q, const T* k, int head, int lane) {
  if (c.features.there()) {
    return performer_score(c.features, c.feature_count, sqrtf(c.scale), q, k, c.d_k, lane);
  }
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
  const Seen seen(c, row);
  if (c.puts_fresh) {
    put_fresh(c, row, seen.place, head, lane);
  }
  const T* q = c.q.row(row) + head * c.d_k;
  float largest = -INFINITY;
  float total = 0.0F;
  float sums[kChannels] = {};
  for (int j = 0; j < seen.count; ++j) {
    if (!c.pattern.sees(seen.count - 1, j, seen.count)) {
      continue;
    }
    const std::int64_t key = seen.row(j);
    float score = score_of(c, q, c.k.row(key) + c.kv_head(head) * c.d_k, head, lane);
    if (c.bias.there()) {
      score += bias_of(c, seen, head, j);
    }
    const float top = fmaxf(largest, score);
    const float base = top == -INFINITY ? 0.0F : top;
    const float correction = expf(largest - base);
    const float weight = expf(score - base);
    largest = top;
    total = total * correction + weight;
    const T* v = c.v.row(key) + c.kv_head(head) * c.d_v;
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

// What a group of lanes has of a softmax so far, by exp2; each lane has its channels.
struct Online {
  float largest = -INFINITY;
  float total = 0.0F;
  float sums[kPack] = {};

  __device__ void add(float score, const float (&v)[kPack]) {
    const float top = fmaxf(largest, score);
    const float base = top == -INFINITY ? 0.0F : top;
    const float correction = exp2f(largest - base);
    const float weight = exp2f(score - base);
    largest = top;
    total = total * correction + weight;
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sums[i] = sums[i] * correction + weight * v[i];
    }
  }
  // With the group that is `distance` lanes away.
  __device__ void join(int distance) {
    const float other = __shfl_xor_sync(0xFFFFFFFFU, largest, distance);
    const float top = fmaxf(largest, other);
    const float factor = exp2f(largest - (top == -INFINITY ? 0.0F : top));
    largest = top;
    total *= factor;
    total += __shfl_xor_sync(0xFFFFFFFFU, total, distance);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sums[i] *= factor;
      sums[i] += __shfl_xor_sync(0xFFFFFFFFU, sums[i], distance);
    }
  }
};

// What a warp makes of keys: of each `warps` groups of them the one that is its turn. All groups of
// lanes get the result.
template <class T, int kHead, bool kBias>
__device__ Online attend_keys(const Cached<T>& c, const Seen& seen, std::int64_t row, int head,
                              int turn, int warps) {
  constexpr int kKeyLanes = kHead / kPack;   // lanes of a key
  constexpr int kKeys = kLanes / kKeyLanes;  // keys of a warp at a time
  constexpr int kAhead = 2;                  // keys of a group at a time
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int group = lane / kKeyLanes;
  const int channel = head * kHead + lane % kKeyLanes * kPack;
  const int kv_channel = c.kv_head(head) * kHead + lane % kKeyLanes * kPack;
  float q[kPack];
  load8(c.q.row(row) + channel, q);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    q[i] *= c.scale * kLog2E;
  }
  Online online;
  for (int base = turn * kKeys * kAhead; base < seen.count; base += warps * kKeys * kAhead) {
    float k[kAhead][kPack];
    float v[kAhead][kPack];
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      const std::int64_t key = seen.row(min(base + a * kKeys + group, seen.count - 1));
      load8(c.k.row(key) + kv_channel, k[a]);
      load8(c.v.row(key) + kv_channel, v[a]);
    }
#pragma unroll
    for (int a = 0; a < kAhead; ++a) {
      float score = 0.0F;
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        score += q[i] * k[a][i];
      }
#pragma unroll
      for (int distance = kKeyLanes / 2; distance > 0; distance /= 2) {
        score += __shfl_xor_sync(0xFFFFFFFFU, score, distance);
      }
      const int j = base + a * kKeys + group;
      if (kBias && j < seen.count) {
        score += bias_of(c, seen, head, j) * kLog2E;
      }
      const bool sees = j < seen.count && c.pattern.sees(seen.count - 1, j, seen.count);
      online.add(sees ? score : -INFINITY, v[a]);
    }
  }
#pragma unroll
  for (int distance = kKeyLanes; distance < kLanes; distance *= 2) {
    online.join(distance);
  }
  return online;
}

template <class T, int kHead, bool kBias>
__global__ void __launch_bounds__(kThreads) cached_heads_kernel(Cached<T> c) {
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kBlockRows + warp % kBlockRows;
  const int head = static_cast<int>(blockIdx.y) * kBlockHeads + warp / kBlockRows;
  if (row >= c.rows || head >= c.heads) {
    return;
  }
  const Seen seen(c, row);
  if (c.puts_fresh) {
    put_fresh(c, row, seen.place, head, lane);
  }
  Online online = attend_keys<T, kHead, kBias>(c, seen, row, head, 0, 1);
  if (lane < kHead / kPack) {
    const float factor = online.total > 0.0F ? 1.0F / online.total : 0.0F;
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      online.sums[i] *= factor;
    }
    store8(c.out.row(row) + head * kHead + lane * kPack, online.sums);
  }
}

// Rows of different sequences, which have no keys in common: a block takes a row and head, and its
// warps take turns with the keys. Their results are joined in their order.
template <class T, int kHead, bool kBias>
__global__ void __launch_bounds__(kThreads) cached_sequences_kernel(Cached<T> c) {
  constexpr int kKeyLanes = kHead / kPack;
  __shared__ float sums[kWarps][kHead];
  __shared__ float largest[kWarps];
  __shared__ float totals[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t row = blockIdx.x;
  const auto head = static_cast<int>(blockIdx.y);
  const Seen seen(c, row);
  if (c.puts_fresh) {
    if (warp == 0) {
      put_fresh(c, row, seen.place, head, lane);
    }
    __syncthreads();
  }
  const Online online = attend_keys<T, kHead, kBias>(c, seen, row, head, warp, kWarps);
  if (lane < kKeyLanes) {
    store8(&sums[warp][lane * kPack], online.sums);
  }
  if (lane == 0) {
    largest[warp] = online.largest;
    totals[warp] = online.total;
  }
  __syncthreads();
  const auto channel = static_cast<int>(threadIdx.x);
  if (channel >= kHead) {
    return;
  }
  float top = -INFINITY;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    top = fmaxf(top, largest[w]);
  }
  float total = 0.0F;
  float sum = 0.0F;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    const float factor = largest[w] == -INFINITY ? 0.0F : exp2f(largest[w] - top);
    total += totals[w] * factor;
    sum += sums[w][channel] * factor;
  }
  c.out.row(row)[head * kHead + channel] = from_float<T>(total > 0.0F ? sum / total : 0.0F);
}

template <class T>
bool fits_packs(const Cached<T>& c) {
  return c.d_k == c.d_v && !c.vector.there() && !c.features.there() &&
         whole_packs(c.q, c.k, c.v, c.out);
}

// Are the rows those of sequences, each with its own part of the cache?
template <class T>
bool are_sequences(const Cached<T>& c) {
  return c.table == nullptr && c.fresh.there();
}

template <int kHead, bool kBias, class T>
void launch_heads(const Cached<T>& c, cudaStream_t stream) {
  if (are_sequences(c)) {
    const dim3 grid(static_cast<unsigned>(c.rows), static_cast<unsigned>(c.heads));
    cached_sequences_kernel<T, kHead, kBias><<<grid, kThreads, 0, stream>>>(c);
  } else {
    const dim3 grid(blocks_for(c.rows, kBlockRows), blocks_for(c.heads, kBlockHeads));
    cached_heads_kernel<T, kHead, kBias><<<grid, kThreads, 0, stream>>>(c);
  }
}

template <int kHead, class T>
void launch_heads(const Cached<T>& c, cudaStream_t stream) {
  if (c.bias.there()) {
    launch_heads<kHead, true>(c, stream);
  } else {
    launch_heads<kHead, false>(c, stream);
  }
}

// Can tensor cores do it, for a cache with that many rows?
template <class T>
bool fits_mma(const Cached<T>& c, std::int64_t cached) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return fits_packs(c) && whole_packs(c.fresh) && c.d_k == 64 && c.heads_per_kv == 1 &&
         !c.bias.there() && !c.pattern && !are_sequences(c) &&
         std::max({cached, c.k.stride, c.v.stride, c.fresh.stride}) <= kMost;
}

template <class T>
void launch(Cached<T> c, std::int64_t cached, cudaStream_t stream) {
  if (c.heads_per_kv > 1 && c.fresh.there()) {
    put_fresh_kernel<<<blocks_for(c.rows * (c.heads / c.heads_per_kv), kWarps), kThreads, 0,
                       stream>>>(c);
    c.puts_fresh = false;
  }
  if constexpr (sizeof(T) == 2) {
    if (fits_mma(c, cached)) {
      launch_cached_mma(c, stream);
      return;
    }
  }
  if (fits_packs(c) && c.d_k == 64) {
    launch_heads<64>(c, stream);
  } else if (fits_packs(c) && c.d_k == 32) {
    launch_heads<32>(c, stream);
  } else if (fits_packs(c) && c.d_k == 128) {
    launch_heads<128>(c, stream);
  } else {
    cached_attention_kernel<<<blocks_for(c.rows * c.heads, kWarps), kThreads, 0, stream>>>(c);
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
  with_forward_type(args.q.dtype, "cached_attention", [&](auto t) {
    using T = decltype(t);
    launch(Cached<T>{rows_of<T>(args.q),
                     rows_of<T>(args.k),
                     rows_of<T>(args.v),
                     rows_of<T>(args.out),
                     args.fresh ? rows_of<T>(args.fresh) : Rows<T>{},
                     args.vector ? rows_of<float>(args.vector) : Rows<float>{},
                     args.features ? rows_of<float>(args.features) : Rows<float>{},
                     args.bias ? rows_of<float>(args.bias) : Rows<float>{},
                     args.table,
                     args.table_stride,
                     args.first,
                     args.counts,
                     args.places,
                     args.q.rows,
                     static_cast<int>(args.heads),
                     static_cast<int>(args.d_k),
                     static_cast<int>(args.d_v),
                     args.scale,
                     static_cast<int>(args.heads_per_kv),
                     args.pattern,
                     true,
                     static_cast<int>(args.features.rows)},
           args.k.rows, stream_of(exec));
  });
  check_launch("cached_attention");
}

const Registration registration([](Kernels& table) { table.cached_attention = cached_attention; });

}  // namespace
}  // namespace yona::cuda
