// Attention backward over long sentences with Hopper's tensor cores: what its two passes share; see
// attention/wgmma_tiled.cuh, and attention/general_backward.cuh for the gradients. With x the rows
// that a block owns (queries: q and dout; keys: k and v) and y the others,
//   scores = x₁ y₁ᵀ;  dp = x₂ y₂ᵀ;  dx₁ = scale · Σ ds y₁;  and for keys  dx₂ = Σ m p y₂
#pragma once

#include "yona/backend/cuda/attention/wgmma_tiled.cuh"

namespace yona::cuda {

struct WarpgroupGradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  QueryTable queries;
  KeepMask keep_mask;
  int done_up_to = 0;   // other kernels have done sentences of up to this length
  int query_tiles = 0;  // of the longest sentence; those of the keys follow
};

// Of 64 queries, where those are the others, and the next ones.
struct WarpgroupStatistics {
  float lse[2][kWarpgroupRows];
  float delta[2][kWarpgroupRows];
  std::uint32_t kept[2][kWarpgroupRows / kWordKeys][kWarpgroupRows];  // for the block's keys
};

template <int D>
struct WarpgroupShared {
  static constexpr int kTile = WarpgroupHead<D>::kTileBytes;
  static constexpr int kOthers = 2 * kTile;                // behind x₁ and x₂
  static constexpr int kStatistics = kOthers + 4 * kTile;  // behind y₁ and y₂, and the next ones
  static constexpr int kBytes = kStatistics + static_cast<int>(sizeof(WarpgroupStatistics));
};

// Scores and dp of two tiles each; `work` makes p of the scores while the tensor cores find dp.
template <int D, class Work>
__device__ void find_scores(std::uint32_t own, std::uint32_t others, WarpgroupScores& scores,
                            WarpgroupScores& dp, const Work& work) {
  constexpr int kTile = WarpgroupHead<D>::kTileBytes;
  begin_products();
  start_scores<D>(own, others, scores);
  commit_products();
  start_scores<D>(own + kTile, others + kTile, dp);
  commit_products();
  wait_for_products<1>();
  work();
  wait_for_products();
}

__device__ inline void pack_weights(const WarpgroupScores& x, WarpgroupWeights& weights) {
#pragma unroll
  for (int t = 0; t < kWarpgroupTiles; ++t) {
    weights[t / 2][t % 2 * 2] = pack_bf16(x[t][0], x[t][1]);
    weights[t / 2][t % 2 * 2 + 1] = pack_bf16(x[t][2], x[t][3]);
  }
}

}  // namespace yona::cuda
