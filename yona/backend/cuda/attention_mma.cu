// Attention forward with tensor cores; see attention_mma.cuh.

#include "yona/backend/cuda/attention_mma.cuh"

namespace yona::cuda {

namespace {

constexpr float kLog2E = 1.4426950408889634F;
constexpr float kLn2 = 0.6931471805599453F;

// The largest and the sum over the four lanes that share a row.
__device__ float row_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, 2));
}
__device__ float row_sum(float x) {
  x += __shfl_xor_sync(0xFFFFFFFFU, x, 1);
  return x + __shfl_xor_sync(0xFFFFFFFFU, x, 2);
}

template <int D>
__global__ void __launch_bounds__(kHeadGroup* kLanes)
    attention_mma_kernel(AttentionProblem<bf16> p) {
  using Head = MmaHead<D>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto* kept = shared_bytes;  // [kOwnRows, kOtherRows]
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  bf16* k_tile =
      reinterpret_cast<bf16*>(shared_bytes + kOwnRows * kOtherRows) + warp * 2 * Head::kTile;
  bf16* v_tile = k_tile + Head::kTile;
  const Sentence sentence(p, blockIdx.x / p.tiles);
  const int first = static_cast<int>(blockIdx.x % p.tiles) * kOwnRows;
  if (first >= sentence.queries) {
    return;
  }
  const int head = static_cast<int>(blockIdx.y) * kHeadGroup + warp;
  const int count = head < p.heads ? min(sentence.queries - first, kOwnRows) : 0;
  OwnRows<D> q;
  load_own<D>(p.q, sentence.first_query + first, count, head, q);
  const int visible[2] = {lane / 4 < count ? sentence.visible(first + lane / 4) : 0,
                          lane / 4 + 8 < count ? sentence.visible(first + lane / 4 + 8) : 0};
  const float scale = p.scale * kLog2E;  // powers of two are what the hardware computes
  float largest[2] = {-INFINITY, -INFINITY};
  float sum[2] = {};
  float out[Head::kTiles][4] = {};
  const int end = sentence.visible(min(first + kOwnRows, sentence.queries) - 1);
  for (int j0 = 0; j0 < end; j0 += kOtherRows) {
    const int keys = count > 0 ? min(end - j0, kOtherRows) : 0;
    __syncthreads();
    stage<D>(p.k, sentence.first_key + j0, keys, head, k_tile);
    stage<D>(p.v, sentence.first_key + j0, keys, head, v_tile);
    if (p.dropout.threshold != 0) {
      decide_dropout<true>(p, sentence, first, j0, kept);
    }
    __syncthreads();
    float scores[kScoreTiles][4];
    score_tile<D>(q, k_tile, scores);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float top = largest[half];
#pragma unroll
      for (int t = 0; t < kScoreTiles; ++t) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& x = scores[t][2 * half + e];
          const int j = j0 + 8 * t + lane % 4 * 2 + e;
          x = j < visible[half] ? x * scale : -INFINITY;
          top = fmaxf(top, x);
        }
      }
      top = row_max(top);
      const float base = top == -INFINITY ? 0.0F : top;
      const float correction = exp2f(largest[half] - base);
      largest[half] = top;
      float added = 0.0F;
#pragma unroll
      for (int t = 0; t < kScoreTiles; ++t) {
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          float& x = scores[t][2 * half + e];
          x = exp2f(x - base);
          added += x;
          if (p.dropout.threshold != 0) {
            const int item = (lane / 4 + 8 * half) * kOtherRows + 8 * t + lane % 4 * 2 + e;
            x = (kept[item] >> warp) & 1U ? x * p.dropout.scale : 0.0F;
          }
        }
      }
      sum[half] = sum[half] * correction + row_sum(added);
#pragma unroll
      for (int t = 0; t < Head::kTiles; ++t) {
        out[t][2 * half] *= correction;
        out[t][2 * half + 1] *= correction;
      }
    }
    add_tile<D>(scores, v_tile, out);
  }
  const float share[2] = {sum[0] > 0.0F ? 1.0F / sum[0] : 0.0F,
                          sum[1] > 0.0F ? 1.0F / sum[1] : 0.0F};
  put_own<D>(p.out, sentence.first_query + first, count, head, out, share, false);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + 8 * half;
    if (lane % 4 == 0 && row < count) {
      p.lse.row(sentence.first_query + first + row)[head] =
          sum[half] > 0.0F ? largest[half] * kLn2 + logf(sum[half]) : -INFINITY;
    }
  }
}

template <int D>
void launch(const AttentionArgs& args, cudaStream_t stream) {
  AttentionProblem<bf16> problem = problem_of<bf16>(args);
  problem.tiles = static_cast<int>(blocks_for(args.longest_q, kOwnRows));
  const int warps = args.heads < kHeadGroup ? static_cast<int>(args.heads) : kHeadGroup;
  const dim3 grid(static_cast<unsigned>(problem.tiles * args.sentences),
                  blocks_for(args.heads, kHeadGroup));
  const std::size_t shared = kOwnRows * kOtherRows +
                             static_cast<std::size_t>(warps) * 2 * MmaHead<D>::kTile * sizeof(bf16);
  allow_shared(attention_mma_kernel<D>, shared);
  attention_mma_kernel<D><<<grid, static_cast<unsigned>(warps * kLanes), shared, stream>>>(problem);
  check_launch("attention");
}

// Two gradients may be neighbours in a row, but not share elements: blocks write them in any order.
bool are_apart(const View& a, const View& b) {
  const auto distance = (static_cast<const bf16*>(a.data) - static_cast<const bf16*>(b.data));
  return distance >= b.cols || -distance >= a.cols;
}

bool is_aligned(const View& view) { return rows_of<bf16>(view).vector && view.stride % 8 == 0; }

}  // namespace

bool mma_fits(const AttentionArgs& args) {
  return args.q.dtype == DType::bf16 && args.d_k == args.d_v &&
         (args.d_k == 32 || args.d_k == 64) && !args.bias && is_aligned(args.q) &&
         is_aligned(args.k) && is_aligned(args.v) && is_aligned(args.out);
}

bool mma_fits(const AttentionBackwardArgs& args) {
  return mma_fits(args.forward) && is_aligned(args.dout) && is_aligned(args.dq) &&
         is_aligned(args.dk) && is_aligned(args.dv) && are_apart(args.dq, args.dk) &&
         are_apart(args.dk, args.dv) && are_apart(args.dq, args.dv);
}

void launch_attention_mma(const AttentionArgs& args, cudaStream_t stream) {
  if (args.d_k == 32) {
    launch<32>(args, stream);
  } else {
    launch<64>(args, stream);
  }
}

}  // namespace yona::cuda
