// Attention backward, queries: dq, and the gradients of the bias and of additive attention's
// vector. A warp takes a few queries; lanes are keys while scores are formed, channels while rows
// are added.

#include "yona/backend/cuda/attention/general_backward.cuh"

namespace yona::cuda {

namespace {

// Adds ds of this lane's key to the warp's row of the bias' gradient. Between the ends of the bias'
// reach every lane has a column of its own; what is clipped to an end is added up first.
template <class T>
__device__ void add_bias_gradient(const AttentionProblem<T>& in, int distance, float ds,
                                  float* row) {
  const int last = static_cast<int>(in.bias.cols) - 1;
  const int column = bias_column(in.bias, distance);
  const float before = warp_sum(column == 0 ? ds : 0.0F);
  const float after = warp_sum(column == last ? ds : 0.0F);
  if (column > 0 && column < last && ds != 0.0F) {
    row[column] += ds;
  }
  if (threadIdx.x % kLanes == 0) {
    row[0] += before;
    if (last > 0) {
      row[last] += after;
    }
  }
  __syncwarp();
}

template <class T, class Size>
__global__ void __launch_bounds__(Size::kBlockThreads)
    query_gradients_kernel(AttentionBackwardProblem<T> p) {
  constexpr int kGroup = Size::kGroup;
  extern __shared__ float shared[];
  const AttentionProblem<T>& in = p.in;
  const int head = static_cast<int>(blockIdx.y);
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  float* k_tile = shared;                               // [kTile, d_k + 1]
  float* v_tile = k_tile + Size::kTile * (in.d_k + 1);  // [kTile, d_v + 1]
  float* q_group = v_tile + Size::kTile * (in.d_v + 1) + warp * kGroup * (in.d_k + in.d_v);
  float* dout_group = q_group + kGroup * in.d_k;
  const float* vector = Size::kAdditive ? in.vector.row(head) : nullptr;
  const std::int64_t strand =
      (static_cast<std::int64_t>(head) * gridDim.x + blockIdx.x) * Size::kWarpCount + warp;
  float* dbias = p.dbias == nullptr ? nullptr : p.dbias + strand * in.bias.cols;
  float dvector[Size::kWide] = {};

  for (std::int64_t item = blockIdx.x; item < p.items; item += gridDim.x) {
    const Sentence sentence(in, item / in.tiles);
    const int block_first = static_cast<int>(item % in.tiles) * Size::kBlockRows;
    if (block_first >= sentence.queries) {
      continue;
    }
    const int first = block_first + warp * kGroup;
    const int count = min(max(sentence.queries - first, 0), kGroup);
    load_group<kGroup>(sentence.query_rows(in.q), first, count, head, in.d_k, q_group);
    load_group<kGroup>(sentence.query_rows(p.dout), first, count, head, in.d_v, dout_group);
    float lse[kGroup];
    float delta[kGroup];
#pragma unroll
    for (int g = 0; g < kGroup; ++g) {
      lse[g] = g < count ? in.lse.row(sentence.query_row(first + g))[head] : 0.0F;
      delta[g] = g < count ? p.delta.row(sentence.query_row(first + g))[head] : 0.0F;
    }
    float dq[kGroup][Size::kWide] = {};
    const int last = min(block_first + Size::kBlockRows, sentence.queries) - 1;
    const int end = sentence.visible(last);
    for (int j0 = 0; j0 < end; j0 += Size::kTile) {
      const int keys = min(Size::kTile, end - j0);
      if (!sentence.some_see(block_first, last, j0, j0 + keys - 1)) {
        continue;
      }
      __syncthreads();
      load_tile(sentence.key_rows(in.k), j0, keys, Size::kTile, in.kv_head(head), in.d_k, k_tile,
                in.d_k + 1);
      load_tile(sentence.key_rows(in.v), j0, keys, Size::kTile, in.kv_head(head), in.d_v, v_tile,
                in.d_v + 1);
      __syncthreads();
      const int j = j0 + lane;
      const int tile_row = lane % Size::kTile;
      float ds[kGroup];
      float dp[kGroup];
      score<Size>(q_group, k_tile + tile_row * (in.d_k + 1), vector, in.d_k, ds);
      using Dot = AttentionSize<kGroup, Size::kWide, Size::kTile, Size::kWarpCount, false>;
      score<Dot>(dout_group, v_tile + tile_row * (in.d_v + 1), nullptr, in.d_v, dp);
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
        const int i = first + g;
        if (g < count && lane < keys && sentence.sees(i, j)) {
          const Weight weight = weight_of(in, sentence, i, j, head, ds[g], lse[g]);
          ds[g] = weight.p * (weight.factor * dp[g] - delta[g]);
        } else {
          ds[g] = 0.0F;
        }
        if (dbias != nullptr && g < count) {
          add_bias_gradient(in, j - sentence.position(i), ds[g], dbias);
        }
      }
      for (int jj = 0; jj < keys; ++jj) {
#pragma unroll
        for (int w = 0; w < Size::kWide; ++w) {
          const int c = w * kLanes + lane;
          const float k = c < in.d_k ? k_tile[jj * (in.d_k + 1) + c] : 0.0F;
#pragma unroll
          for (int g = 0; g < kGroup; ++g) {
            const float x = __shfl_sync(0xFFFFFFFFU, ds[g], jj);
            if constexpr (Size::kAdditive) {
              const float t = c < in.d_k ? tanhf(q_group[c * kGroup + g] + k) : 0.0F;
              dq[g][w] += c < in.d_k ? x * vector[c] * (1.0F - t * t) : 0.0F;
              dvector[w] += x * t;
            } else {
              dq[g][w] += x * k;
            }
          }
        }
      }
    }
    put_group<Size>(sentence.query_rows(p.dq), first, count, head, in.d_k, dq, in.scale,
                    p.accumulate_dq);
    __syncwarp();
  }
  if (p.dvector != nullptr) {
#pragma unroll
    for (int w = 0; w < Size::kWide; ++w) {
      const int c = w * kLanes + lane;
      if (c < in.d_k) {
        p.dvector[strand * in.d_k + c] = dvector[w];
      }
    }
  }
}

}  // namespace

template <class T, class Size>
void launch_query_gradients(AttentionBackwardProblem<T> problem, unsigned blocks,
                            cudaStream_t stream) {
  const std::size_t shared = gradient_shared_bytes<Size>(problem.in.d_k, problem.in.d_v);
  allow_shared(query_gradients_kernel<T, Size>, shared);
  const dim3 grid(blocks, static_cast<unsigned>(problem.in.heads));
  query_gradients_kernel<T, Size><<<grid, Size::kBlockThreads, shared, stream>>>(problem);
  check_launch("attention_backward");
}

#define YONA_QUERY_GRADIENTS(T, Size) \
  template void launch_query_gradients<T, Size>(AttentionBackwardProblem<T>, unsigned, cudaStream_t)
YONA_QUERY_GRADIENTS(float, SmallHeads);
YONA_QUERY_GRADIENTS(float, MediumHeads);
YONA_QUERY_GRADIENTS(float, LargeHeads);
YONA_QUERY_GRADIENTS(float, AdditiveHeads);
YONA_QUERY_GRADIENTS(bf16, SmallHeads);
YONA_QUERY_GRADIENTS(bf16, MediumHeads);
YONA_QUERY_GRADIENTS(bf16, LargeHeads);
YONA_QUERY_GRADIENTS(bf16, AdditiveHeads);

}  // namespace yona::cuda
