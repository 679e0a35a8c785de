// Attention forward over long sentences with Hopper's tensor cores; see attention_group.cuh.

#include "yona/backend/cuda/attention_group.cuh"

namespace yona::cuda {

namespace {

// Scores of the lane's two queries become weights before division, in the running softmax;
// `correction` is what sums so far are to be multiplied by.
template <bool kMasked>
__device__ void soften_group(float scale, const int (&visible)[2], int j0, int lane,
                             RunningRows& running, float (&scores)[kGroupTiles][4],
                             float (&correction)[2]) {
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
[[maybe_unused]] __device__ inline void keep_pairs(const std::uint32_t (&kept)[2][2], int lane,
                                                   const float (&scores)[kGroupTiles][4],
                                                   std::uint32_t (&weights)[kGroupTiles / 2][4]) {
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

template <int D, int kGroups>
__global__ void __launch_bounds__(kGroupThreads* kGroups, 4 / kGroups)
    attention_group_kernel(AttentionProblem<bf16> p, DecisionTable table) {
#if YONA_HAS_WGMMA
  constexpr int kTile = GroupHead<D>::kTileBytes;
  constexpr int kBlockThreads = kGroupThreads * kGroups;
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const GroupPlace at;
  const GroupBlock block(p.heads, p.tiles);
  const Sentence sentence(p, block.sentence);
  const int block_first = block.tile * kGroupRows * kGroups;
  if (!is_long(sentence) || block_first >= sentence.queries) {
    return;
  }
  const auto tiles = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_bytes));
  const std::uint32_t own = tiles + at.group * kTile;
  const std::uint32_t others = tiles + kGroups * kTile;
  const int first = block_first + at.group * kGroupRows;
  const int count = min(max(sentence.queries - first, 0), kGroupRows);
  const int block_end =
      sentence.visible(min(block_first + kGroups * kGroupRows, sentence.queries) - 1);
  const int end = count > 0 ? sentence.visible(first + count - 1) : 0;
  const int all_see = count > 0 ? sentence.visible(first) : 0;
  const auto stage = [&](int j0) {
    const std::uint32_t tile = others + j0 / kGroupRows % 2 * 2 * kTile;
    stage_tile<D, kBlockThreads>(p.k, sentence.first_key + j0, block_end - j0, block.head,
                                 at.thread, tile);
    stage_tile<D, kBlockThreads>(p.v, sentence.first_key + j0, block_end - j0, block.head,
                                 at.thread, tile + kTile);
  };
  stage_tile<D, kGroupThreads>(p.q, sentence.first_query + first, count, block.head,
                               at.thread % kGroupThreads, own);
  stage(0);
  const int row = at.warp * kOwnRows + at.lane / 4;
  const int visible[2] = {row < count ? sentence.visible(first + row) : 0,
                          row + 8 < count ? sentence.visible(first + row + 8) : 0};
  const std::int64_t query = sentence.first_query + min(first + row, sentence.queries - 1);
  const std::int64_t query8 = sentence.first_query + min(first + row + 8, sentence.queries - 1);
  const float scale = p.scale * kLog2E;
  std::uint32_t next[2][2];
  const auto fetch = [&](int j0) {
#pragma unroll
    for (int w = 0; w < 2; ++w) {
      const int j = j0 + w * kWordKeys;
      next[0][w] = j < end ? table.word(query, block.head, j) : 0;
      next[1][w] = j < end ? table.word(query8, block.head, j) : 0;
    }
  };
  fetch(0);
  RunningRows running;
  float out[MmaHead<D>::kTiles][4] = {};
  for (int j0 = 0; j0 < block_end; j0 += kGroupRows) {
    wait_for_copies();
    show_to_tensor_cores();
    __syncthreads();  // this tile is there, and nobody works on the one before
    const std::uint32_t kept[2][2] = {{next[0][0], next[0][1]}, {next[1][0], next[1][1]}};
    if (j0 + kGroupRows < block_end) {
      stage(j0 + kGroupRows);
    }
    if (j0 >= end) {
      continue;
    }
    fetch(j0 + kGroupRows);
    const std::uint32_t tile = others + j0 / kGroupRows % 2 * 2 * kTile;
    float scores[kGroupTiles][4];
    float correction[2];
    std::uint32_t weights[kGroupTiles / 2][4];
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
  const int warp_first = at.warp * kOwnRows;
  put_attended<D>(p, sentence.first_query + first + warp_first,
                  min(max(count - warp_first, 0), kOwnRows), block.head, running, out,
                  p.dropout.scale);
#endif
}

template <int D, int kGroups>
void launch(const AttentionArgs& args, const DecisionTable& table, cudaStream_t stream) {
  AttentionProblem<bf16> problem = problem_of<bf16>(args);
  problem.tiles = static_cast<int>(blocks_for(args.longest_q, kGroupRows * kGroups));
  constexpr std::size_t kShared = static_cast<std::size_t>(kGroups + 4) * GroupHead<D>::kTileBytes;
  allow_shared(attention_group_kernel<D, kGroups>, kShared);
  const auto blocks = static_cast<unsigned>(problem.tiles * args.sentences * args.heads);
  attention_group_kernel<D, kGroups>
      <<<blocks, kGroupThreads * kGroups, kShared, stream>>>(problem, table);
  check_launch("attention");
}

}  // namespace

void launch_attention_group(const AttentionArgs& args, CudaExec& exec, int groups) {
  exec.scratch.begin(decision_bytes(args), exec.cuda_stream);
  const DecisionTable table = prepare_decisions(args, exec);
  if (args.d_k == 32) {
    groups == 1 ? launch<32, 1>(args, table, exec.cuda_stream)
                : launch<32, 2>(args, table, exec.cuda_stream);
  } else if (groups == 1) {
    launch<64, 1>(args, table, exec.cuda_stream);
  } else if (groups == 2) {
    launch<64, 2>(args, table, exec.cuda_stream);
  } else {
    launch<64, 4>(args, table, exec.cuda_stream);
  }
}

}  // namespace yona::cuda
