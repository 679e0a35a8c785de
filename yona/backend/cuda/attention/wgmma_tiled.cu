// Attention forward over long sentences with Hopper's tensor cores; see attention/wgmma_tiled.cuh.

#include "yona/backend/cuda/attention/wgmma_tiled.cuh"
#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/runtime/capability.h"

namespace yona::cuda {

namespace {

// Scores of the lane's two queries become weights before division, in the running softmax;
// `correction` is what sums so far are to be multiplied by.
template <bool kMasked>
__device__ void soften_group(float scale, const int (&visible)[2], int j0, int lane,
                             RunningRows& running, GroupScores& scores, float (&correction)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float top = -INFINITY;
#pragma unroll
    for (int t = 0; t < kGroupTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float& x = scores[t][2 * half + e];
        if (kMasked && j0 + 8 * t + lane % 4 * 2 + e >= visible[half]) {
          x = -INFINITY;
        }
        top = fmaxf(top, x);
      }
    }
    top = fmaxf(running.largest[half], row_max(top) * scale);
    const float base = top == -INFINITY ? 0.0F : top;
    correction[half] = power_of_two(running.largest[half] - base);
    running.largest[half] = top;
    float added = 0.0F;
#pragma unroll
    for (int t = 0; t < kGroupTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float& x = scores[t][2 * half + e];
        x = power_of_two(fmaf(x, scale, -base));
        added += x;
      }
    }
    running.sum[half] = fmaf(running.sum[half], correction[half], added);
  }
}

// The weights that are kept, as left operand.
[[maybe_unused]] __device__ void keep_pairs(const std::uint32_t (&kept)[2][2], int lane,
                                            const GroupScores& scores, GroupWeights& weights) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const KeptPairs pairs(kept[half], lane);
#pragma unroll
    for (int t = 0; t < kGroupTiles; ++t) {
      weights[t / 2][t % 2 * 2 + half] =
          pack_bf16(scores[t][2 * half], scores[t][2 * half + 1]) & pairs.of(t);
    }
  }
}

template <int D>
__global__ void __launch_bounds__(kGroupThreads, 4)
    attention_group_kernel(AttentionProblem<bf16> p, DecisionTable table, int whole) {
  wait_for_the_one_in_front();
#ifdef YONA_ATTENTION_WGMMA
  constexpr int kTile = GroupHead<D>::kTileBytes;
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const GroupPlace at;
  const GroupBlock block(p.heads, p.tiles);
  const Sentence sentence(p, block.sentence);
  const int first = block.tile * kGroupRows;
  if (max(sentence.queries, sentence.keys) <= whole || first >= sentence.queries) {
    return;
  }
  const auto own = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_bytes));
  const std::uint32_t others = own + kTile;
  const int count = min(sentence.queries - first, kGroupRows);
  const int end = sentence.visible(first + count - 1);
  const int all_see = sentence.visible(first);
  const auto stage = [&](int j0) {
    const std::uint32_t tile = others + j0 / kGroupRows % 2 * 2 * kTile;
    stage_tile<D>(p.k, sentence.first_key + j0, end - j0, block.head, at.thread, tile);
    stage_tile<D>(p.v, sentence.first_key + j0, end - j0, block.head, at.thread, tile + kTile);
  };
  stage_tile<D>(p.q, sentence.first_query + first, count, block.head, at.thread, own);
  stage(0);
  const int row = at.first() + at.lane / 4;
  const int visible[2] = {row < count ? sentence.visible(first + row) : 0,
                          row + 8 < count ? sentence.visible(first + row + 8) : 0};
  const std::int64_t queries[2] = {
      sentence.first_query + min(first + row, sentence.queries - 1),
      sentence.first_query + min(first + row + 8, sentence.queries - 1)};
  const float scale = p.scale * kLog2E;
  std::uint32_t next[2][2];
  fetch_decisions(table, queries, block.head, 0, end, next);
  RunningRows running;
  float out[MmaHead<D>::kTiles][4] = {};
  for (int j0 = 0; j0 < end; j0 += kGroupRows) {
    wait_for_copies();
    show_to_tensor_cores();
    __syncthreads();  // this tile is there, and nobody works on the one before
    const std::uint32_t kept[2][2] = {{next[0][0], next[0][1]}, {next[1][0], next[1][1]}};
    if (j0 + kGroupRows < end) {
      stage(j0 + kGroupRows);
    }
    fetch_decisions(table, queries, block.head, j0 + kGroupRows, end, next);
    const std::uint32_t tile = others + j0 / kGroupRows % 2 * 2 * kTile;
    GroupScores scores;
    float correction[2];
    GroupWeights weights;
    begin_products();
    start_scores<D>(own, tile, scores);
    commit_products();
    wait_for_products();
    if (j0 + kGroupRows <= all_see) {
      soften_group<false>(scale, visible, j0, at.lane, running, scores, correction);
    } else {
      soften_group<true>(scale, visible, j0, at.lane, running, scores, correction);
    }
    keep_pairs(kept, at.lane, scores, weights);
    correct<D>(correction, out);
    begin_products();
    start_sums<D>(weights, tile + kTile, out);
    commit_products();
    wait_for_products();
  }
  wait_for_copies();
  put_attended<D>(p, sentence.first_query + first + at.first(), at.rows_of(count), block.head,
                  running, out, p.dropout.scale);
#endif
}

template <int D>
void launch(const AttentionArgs& args, int whole, const DecisionTable& table, cudaStream_t stream) {
  AttentionProblem<bf16> problem = problem_of<bf16>(args);
  problem.tiles = static_cast<int>(blocks_for(args.longest_q, kGroupRows));
  constexpr std::size_t kShared = std::size_t{5} * GroupHead<D>::kTileBytes;
  allow_shared(attention_group_kernel<D>, kShared);
  const auto blocks = static_cast<unsigned>(problem.tiles * args.sentences * args.heads);
  launch_early(attention_group_kernel<D>, {blocks, kGroupThreads, int{kShared}}, stream,
               "attention", problem, table, whole);
}

// The library has the kernels' code where it is compiled for sm_90a, or for the host
// (tools/cuda_on_host).
#if defined(YONA_CUDA_90A) || defined(YONA_CUDA_ON_HOST)
constexpr bool kHasCode = true;
#else
constexpr bool kHasCode = false;
#endif

}  // namespace

bool group_fits(const AttentionArgs& args) {
  static const bool there = kHasCode && is_hopper();
  return there && args.scale > 0.0F;  // the largest score is found before it is scaled
}

void launch_attention_group(const AttentionArgs& args, int whole, const DecisionTable& table,
                            cudaStream_t stream) {
  if (args.d_k == 32) {
    launch<32>(args, whole, table, stream);
  } else {
    launch<64>(args, whole, table, stream);
  }
}

}  // namespace yona::cuda
