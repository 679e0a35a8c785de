// Attention backward, keys: dk and dv. A warp takes a few keys; lanes are queries while scores are
// formed, channels while rows are added. Heads of queries that share a head of keys come one after
// another, so that its gradients are added up in their order.

#include "yona/backend/cuda/attention/general_backward.cuh"

namespace yona::cuda {

namespace {

template <class T, class Size>
__global__ void __launch_bounds__(Size::kBlockThreads)
    key_gradients_kernel(AttentionBackwardProblem<T> p) {
  constexpr int kGroup = Size::kGroup;
  extern __shared__ float shared[];
  const AttentionProblem<T>& in = p.in;
  const int kv_head = static_cast<int>(blockIdx.y);
  const Sentence sentence(in, blockIdx.x / in.tiles);
  const int block_first = static_cast<int>(blockIdx.x % in.tiles) * Size::kBlockRows;
  if (block_first >= sentence.keys) {
    return;
  }
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  float* q_tile = shared;                                  // [kTile, d_k + 1]
  float* dout_tile = q_tile + Size::kTile * (in.d_k + 1);  // [kTile, d_v + 1]
  float* k_group = dout_tile + Size::kTile * (in.d_v + 1) + warp * kGroup * (in.d_k + in.d_v);
  float* v_group = k_group + kGroup * in.d_k;
  const float* vector = Size::kAdditive ? in.vector.row(kv_head) : nullptr;
  const int first = block_first + warp * kGroup;
  const int count = min(max(sentence.keys - first, 0), kGroup);
  load_group<kGroup>(sentence.key_rows(in.k), first, count, kv_head, in.d_k, k_group);
  load_group<kGroup>(sentence.key_rows(in.v), first, count, kv_head, in.d_v, v_group);

  float dk[kGroup][Size::kWide] = {};
  float dv[kGroup][Size::kWide] = {};
  const int first_query = sentence.first_seeing(block_first);
  const int last = min(block_first + Size::kBlockRows, sentence.keys) - 1;
  const int tiles = (max(sentence.queries - first_query, 0) + Size::kTile - 1) / Size::kTile;
  for (int step = 0; step < tiles * in.heads_per_kv; ++step) {
    const int head = kv_head * in.heads_per_kv + step / tiles;
    const int i0 = first_query + step % tiles * Size::kTile;
    const int queries = min(Size::kTile, sentence.queries - i0);
    if (!sentence.some_see(i0, i0 + queries - 1, block_first, last)) {
      continue;
    }
    __syncthreads();
    load_tile(sentence.query_rows(in.q), i0, queries, Size::kTile, head, in.d_k, q_tile,
              in.d_k + 1);
    load_tile(sentence.query_rows(p.dout), i0, queries, Size::kTile, head, in.d_v, dout_tile,
              in.d_v + 1);
    __syncthreads();
    const int i = i0 + lane;
    const bool there = lane < queries;
    const int tile_row = lane % Size::kTile;
    const float lse = there ? in.lse.row(sentence.query_row(i))[head] : 0.0F;
    const float delta = there ? p.delta.row(sentence.query_row(i))[head] : 0.0F;
    float ds[kGroup];
    float kept[kGroup];  // m p
    score<Size>(k_group, q_tile + tile_row * (in.d_k + 1), vector, in.d_k, ds);
    using Dot = AttentionSize<kGroup, Size::kWide, Size::kTile, Size::kWarpCount, false>;
    score<Dot>(v_group, dout_tile + tile_row * (in.d_v + 1), nullptr, in.d_v, kept);
#pragma unroll
    for (int g = 0; g < kGroup; ++g) {
      const int j = first + g;
      if (g < count && there && sentence.sees(i, j)) {
        const Weight weight = weight_of(in, sentence, i, j, head, ds[g], lse);
        ds[g] = weight.p * (weight.factor * kept[g] - delta);
        kept[g] = weight.p * weight.factor;
      } else {
        ds[g] = 0.0F;
        kept[g] = 0.0F;
      }
    }
    for (int ii = 0; ii < queries; ++ii) {
#pragma unroll
      for (int w = 0; w < Size::kWide; ++w) {
        const int c = w * kLanes + lane;
        const float q = c < in.d_k ? q_tile[ii * (in.d_k + 1) + c] : 0.0F;
        const float dout = c < in.d_v ? dout_tile[ii * (in.d_v + 1) + c] : 0.0F;
#pragma unroll
        for (int g = 0; g < kGroup; ++g) {
          const float x = __shfl_sync(0xFFFFFFFFU, ds[g], ii);
          dv[g][w] += __shfl_sync(0xFFFFFFFFU, kept[g], ii) * dout;
          if constexpr (Size::kAdditive) {
            const float t = c < in.d_k ? tanhf(k_group[c * kGroup + g] + q) : 0.0F;
            dk[g][w] += c < in.d_k ? x * vector[c] * (1.0F - t * t) : 0.0F;
          } else {
            dk[g][w] += x * q;
          }
        }
      }
    }
  }
  if (p.dk.there()) {
    put_group<Size>(sentence.key_rows(p.dk), first, count, kv_head, in.d_k, dk, in.scale,
                    p.accumulate_dk);
  }
  if (p.dv.there()) {
    put_group<Size>(sentence.key_rows(p.dv), first, count, kv_head, in.d_v, dv, 1.0F,
                    p.accumulate_dv);
  }
}

}  // namespace

template <class T, class Size>
void launch_key_gradients(AttentionBackwardProblem<T> problem, std::int64_t longest_k,
                          cudaStream_t stream) {
  const std::size_t shared = gradient_shared_bytes<Size>(problem.in.d_k, problem.in.d_v);
  allow_shared(key_gradients_kernel<T, Size>, shared);
  problem.in.tiles = static_cast<int>(blocks_for(longest_k, Size::kBlockRows));
  const dim3 grid(static_cast<unsigned>(problem.in.parts() * problem.in.tiles),
                  static_cast<unsigned>(problem.in.heads / problem.in.heads_per_kv));
  key_gradients_kernel<T, Size><<<grid, Size::kBlockThreads, shared, stream>>>(problem);
  check_launch("attention_backward");
}

#define YONA_KEY_GRADIENTS(T, Size)                                                      \
  template void launch_key_gradients<T, Size>(AttentionBackwardProblem<T>, std::int64_t, \
                                              cudaStream_t)
YONA_KEY_GRADIENTS(float, SmallHeads);
YONA_KEY_GRADIENTS(float, MediumHeads);
YONA_KEY_GRADIENTS(float, LargeHeads);
YONA_KEY_GRADIENTS(float, AdditiveHeads);
YONA_KEY_GRADIENTS(bf16, SmallHeads);
YONA_KEY_GRADIENTS(bf16, MediumHeads);
YONA_KEY_GRADIENTS(bf16, LargeHeads);
YONA_KEY_GRADIENTS(bf16, AdditiveHeads);

}  // namespace yona::cuda
