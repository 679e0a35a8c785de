// Attention forward over long sentences with Hopper's tensor cores; see attention/wgmma_tiled.cuh.

#include "yona/backend/cuda/attention/wgmma_tiled.cuh"
#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/runtime/capability.h"

namespace yona::cuda {

namespace {

// Scores of the lane's two queries become weights before division, in the running softmax;
// `correction` is what sums so far are to be multiplied by.
template <bool kMasked>
__device__ void soften_warpgroup(float scale, const SeenPairs& seen, RunningRows& running,
                                 WarpgroupScores& scores, float (&correction)[2]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float top = -INFINITY;
#pragma unroll
    for (int t = 0; t < kWarpgroupTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float& x = scores[t][2 * half + e];
        if (kMasked && !seen.has(half, t, e)) {
          x = -INFINITY;
        }
        top = fmaxf(top, x);
      }
    }
    top = fmaxf(running.largest[half], row_max(top) * scale);
    const float base = top == -INFINITY ? 0.0F : top;
    correction[half] = exp2_fast(running.largest[half] - base);
    running.largest[half] = top;
    float added = 0.0F;
#pragma unroll
    for (int t = 0; t < kWarpgroupTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        float& x = scores[t][2 * half + e];
        x = exp2_fast(fmaf(x, scale, -base));
        added += x;
      }
    }
    running.sum[half] = fmaf(running.sum[half], correction[half], added);
  }
}

// The weights that are kept, as left operand.
[[maybe_unused]] __device__ void keep_pairs(const std::uint32_t (&kept)[2][2], int lane,
                                            const WarpgroupScores& scores,
                                            WarpgroupWeights& weights) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const KeptPairs pairs(kept[half], lane);
#pragma unroll
    for (int t = 0; t < kWarpgroupTiles; ++t) {
      weights[t / 2][t % 2 * 2 + half] =
          pack_bf16(scores[t][2 * half], scores[t][2 * half + 1]) & pairs.of(t);
    }
  }
}

template <int D, Seeing kSeeing>
__global__ void __launch_bounds__(kWarpgroupThreads, kSeeing == Seeing::blocks ? 3 : 4)
    attention_wgmma_tiled_kernel(AttentionProblem<bf16> p, KeepMask table, int done_up_to) {
  wait_for_previous_grid();
#ifdef YONA_ATTENTION_WGMMA
  constexpr int kTile = WarpgroupHead<D>::kTileBytes;
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const WarpgroupPlace at;
  const WarpgroupBlock block(p.heads, p.tiles);
  const Sentence sentence(p, block.sentence);
  const int first = block.tile * kWarpgroupRows;
  if (max(sentence.queries, sentence.keys) <= done_up_to || first >= sentence.queries) {
    return;
  }
  const auto own = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_bytes));
  const std::uint32_t others = own + kTile;
  const int count = min(sentence.queries - first, kWarpgroupRows);
  const int last = first + count - 1;
  const TileSight<kSeeing> sight(sentence);
  const int begin = sight.key_begin(first, last);
  const int end = sight.key_end(last);
  const Rows<bf16> keys = sentence.key_rows(p.k);
  const Rows<bf16> values = sentence.key_rows(p.v);
  int place = 0;  // of the tile that is worked on
  const auto stage = [&](int j0, int to) {
    const std::uint32_t tile = others + to * 2 * kTile;
    stage_tile<D>(keys, j0, end - j0, block.head, at.thread, tile);
    stage_tile<D>(values, j0, end - j0, block.head, at.thread, tile + kTile);
  };
  stage_tile<D>(sentence.query_rows(p.q), first, count, block.head, at.thread, own);
  stage(begin, place);
  const int row = first + at.first() + at.lane / 4;
  const std::int64_t queries[2] = {sentence.query_row(min(row, sentence.queries - 1)),
                                   sentence.query_row(min(row + 8, sentence.queries - 1))};
  const float scale = p.scale * kLog2E;
  std::uint32_t next[2][2];
  fetch_keep_words(table, queries, block.head, begin, end, next);
  RunningRows running;
  float out[MmaHead<D>::kTiles][4] = {};
  for (int j0 = begin, next_j0 = 0; j0 < end; j0 = next_j0, place ^= 1) {
    wait_for_copies();
    show_to_tensor_cores();
    __syncthreads();  // this tile has arrived, and the one before is free
    const std::uint32_t kept[2][2] = {{next[0][0], next[0][1]}, {next[1][0], next[1][1]}};
    next_j0 = sight.next_keys(first, last, j0 + kWarpgroupRows);
    if (next_j0 < end) {
      stage(next_j0, place ^ 1);
    }
    fetch_keep_words(table, queries, block.head, next_j0, end, next);
    const std::uint32_t tile = others + place * 2 * kTile;
    WarpgroupScores scores;
    float correction[2];
    WarpgroupWeights weights;
    begin_products();
    start_scores<D>(own, tile, scores);
    commit_products();
    wait_for_products();
    if (sight.all_see_keys(first, last, j0)) {
      soften_warpgroup<false>(scale, {0, 0, 0}, running, scores, correction);
    } else {
      const SeenPairs seen(sight.keys_of(row, j0), sight.keys_of(row + 8, j0), at.lane);
      soften_warpgroup<true>(scale, seen, running, scores, correction);
    }
    keep_pairs(kept, at.lane, scores, weights);
    correct<D>(correction, out);
    begin_products();
    start_sums<D>(weights, tile + kTile, out);
    commit_products();
    wait_for_products();
  }
  wait_for_copies();
  put_attended<D>(sentence.query_rows(p.out), sentence.query_rows(p.lse), first + at.first(),
                  at.rows_of(count), block.head, running, out, p.dropout.scale);
#endif
}

template <int D, Seeing kSeeing>
void launch(const AttentionArgs& args, int done_up_to, const KeepMask& table, cudaStream_t stream) {
  AttentionProblem<bf16> problem = problem_of<bf16>(args);
  problem.tiles = tiles_of_part(args.longest_q, problem);
  constexpr std::size_t kShared = std::size_t{5} * WarpgroupHead<D>::kTileBytes;
  allow_shared(attention_wgmma_tiled_kernel<D, kSeeing>, kShared);
  const auto blocks = static_cast<unsigned>(problem.tiles * problem.parts() * args.heads);
  launch_dependent(attention_wgmma_tiled_kernel<D, kSeeing>,
                   {blocks, kWarpgroupThreads, int{kShared}}, stream, "attention", problem, table,
                   done_up_to);
}

// The library has the kernels' code where it is compiled for sm_90a, or for the host
// (tools/cuda_on_host).
#if defined(YONA_CUDA_90A) || defined(YONA_CUDA_ON_HOST)
constexpr bool kHasCode = true;
#else
constexpr bool kHasCode = false;
#endif

}  // namespace

bool wgmma_fits(const AttentionArgs& args) {
  static const bool there = kHasCode && is_hopper();
  return there && args.scale > 0.0F;  // the largest score is found before it is scaled
}

void launch_attention_wgmma_tiled(const AttentionArgs& args, int done_up_to, const KeepMask& table,
                                  cudaStream_t stream) {
  with_width_and_seeing(args, [&](auto width, auto seeing) {
    launch<width.value, seeing.value>(args, done_up_to, table, stream);
  });
}

}  // namespace yona::cuda
