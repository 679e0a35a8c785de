// Attention backward over long sentences with Hopper's tensor cores; see attention_group.cuh, and
// attention_backward.cuh for the gradients. Queries and keys are two passes of one shape: with x
// the rows that a warpgroup owns (queries: q and dout; keys: k and v) and y the others,
//   scores = x₁ y₁ᵀ;  dp = x₂ y₂ᵀ;  dx₁ = scale · Σ ds y₁;  and for keys  dx₂ = Σ m p y₂
// Blocks of both passes over one sentence and head are near each other, so that the second finds
// its rows in the cache.

#include "yona/backend/cuda/attention_group.cuh"

namespace yona::cuda {

namespace {

struct GroupGradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  const float* lse = nullptr;    // [h, decisions.queries]: times log2(e)
  const float* delta = nullptr;  // the same
  DecisionTable decisions;
  int query_tiles = 0;  // of the longest sentence; those of the keys follow
};

// Of 64 queries, where those are the others, and the next ones.
template <int kGroups>
struct GroupStatistics {
  float lse[2][kGroupRows];
  float delta[2][kGroupRows];
  std::uint32_t kept[kGroups][2][kGroupRows / kWordKeys][kGroupRows];  // for the groups' keys
};

template <int D, int kGroups>
struct GroupShared {
  static constexpr int kTile = GroupHead<D>::kTileBytes;
  static constexpr int kOthers = 2 * kGroups * kTile;      // behind x₁ and x₂ of each group
  static constexpr int kStatistics = kOthers + 4 * kTile;  // behind y₁ and y₂, and the next ones
  static constexpr int kBytes = kStatistics + static_cast<int>(sizeof(GroupStatistics<kGroups>));
};

// Scores and dp of both operands' tiles become p and stay dp; `work` makes p of the scores while
// the tensor cores find dp.
template <int D, int kTiles, class Work>
__device__ void find_scores(std::uint32_t own, std::uint32_t others, float (&scores)[kTiles][4],
                            float (&dp)[kTiles][4], const Work& work) {
  constexpr int kTile = GroupHead<D>::kTileBytes;
  begin_products();
  start_scores<D>(own, others, scores);
  commit_products();
  start_scores<D>(own + kTile, others + kTile, dp);
  commit_products();
  wait_for_products<1>();
  work();
  wait_for_products();
}

template <int kTiles>
__device__ void pack_weights(const float (&x)[kTiles][4], std::uint32_t (&weights)[kTiles / 2][4]) {
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    weights[t / 2][t % 2 * 2] = pack_bf16(x[t][0], x[t][1]);
    weights[t / 2][t % 2 * 2 + 1] = pack_bf16(x[t][2], x[t][3]);
  }
}

// The lane's two queries, where those are its own.
struct GroupQueries {
  std::int64_t row[2];  // in the batch
  int visible[2];
  float lse[2], delta[2];

  __device__ GroupQueries(const GroupGradients& g, const Sentence& sentence, int first, int head) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = first + 8 * half;
      const bool there = i < sentence.queries;
      row[half] = sentence.first_query + min(i, sentence.queries - 1);
      visible[half] = there ? sentence.visible(i) : 0;
      const std::int64_t place = head * g.decisions.queries + row[half];
      lse[half] = there ? g.lse[place] : 0.0F;
      delta[half] = there ? g.delta[place] : 0.0F;
    }
  }
};

template <bool kMasked, int kTiles>
__device__ void weigh_own_queries(const GroupQueries& queries, float scale, int j0, int lane,
                                  float (&scores)[kTiles][4]) {
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int half = e / 2;
      const bool seen = !kMasked || j0 + 8 * t + lane % 4 * 2 + e % 2 < queries.visible[half];
      scores[t][e] = seen ? power_of_two(fmaf(scores[t][e], scale, -queries.lse[half])) : 0.0F;
    }
  }
}

// dq of 64 queries to a group.
template <int D, int kGroups, int kColumns>
__device__ void query_pass(const GroupGradients& g, const Sentence& sentence, int block_first,
                           int head, std::uint32_t tiles) {
  using Shared = GroupShared<D, kGroups>;
  constexpr int kTile = Shared::kTile;
  const AttentionProblem<bf16>& in = g.in;
  const GroupPlace at;
  const int first = block_first + at.group * kGroupRows;
  const int count = min(max(sentence.queries - first, 0), kGroupRows);
  const int block_end =
      sentence.visible(min(block_first + kGroups * kGroupRows, sentence.queries) - 1);
  const int end = count > 0 ? sentence.visible(first + count - 1) : 0;
  const int all_see = count > 0 ? sentence.visible(first) : 0;
  const std::uint32_t own = tiles + at.group * 2 * kTile;
  const auto stage = [&](int j0) {
    const std::uint32_t tile = tiles + Shared::kOthers + j0 / kGroupRows % 2 * 2 * kTile;
    stage_tile<D, kGroupThreads * kGroups>(in.k, sentence.first_key + j0, block_end - j0, head,
                                           at.thread, tile);
    stage_tile<D, kGroupThreads * kGroups>(in.v, sentence.first_key + j0, block_end - j0, head,
                                           at.thread, tile + kTile);
  };
  const std::int64_t first_query = sentence.first_query + first;
  stage_tile<D, kGroupThreads>(in.q, first_query, count, head, at.thread % kGroupThreads, own);
  stage_tile<D, kGroupThreads>(g.dout, first_query, count, head, at.thread % kGroupThreads,
                               own + kTile);
  stage(0);
  const GroupQueries queries(g, sentence, first + at.warp * kOwnRows + at.lane / 4, head);
  const float scale = in.scale * kLog2E;
  std::uint32_t next[2][2];
  const auto fetch = [&](int j0) {
#pragma unroll
    for (int w = 0; w < 2; ++w) {
      const int j = j0 + w * kWordKeys;
      next[0][w] = j < end ? g.decisions.word(queries.row[0], head, j) : 0;
      next[1][w] = j < end ? g.decisions.word(queries.row[1], head, j) : 0;
    }
  };
  fetch(0);
  float dq[MmaHead<D>::kTiles][4] = {};
  for (int j0 = 0; j0 < block_end; j0 += kGroupRows) {
    wait_for_copies();
    show_to_tensor_cores();
    __syncthreads();  // this tile is there, and nobody works on the one before
    if (j0 + kGroupRows < block_end) {
      stage(j0 + kGroupRows);
    }
    if (j0 >= end) {
      continue;
    }
    std::uint32_t kept[2][2];
#pragma unroll
    for (int w = 0; w < 2; ++w) {
      kept[0][w] = next[0][w] >> (at.lane % 4 * 2);
      kept[1][w] = next[1][w] >> (at.lane % 4 * 2);
    }
    fetch(j0 + kGroupRows);
    const std::uint32_t tile = tiles + Shared::kOthers + j0 / kGroupRows % 2 * 2 * kTile;
#pragma unroll
    for (int part = 0; part < kGroupRows; part += kColumns) {
      float scores[kColumns / 8][4];
      float dp[kColumns / 8][4];
      const std::uint32_t rows = tile + part / 8 * GroupHead<D>::kEightRows;
      find_scores<D>(own, rows, scores, dp, [&] {
        if (j0 + kGroupRows <= all_see) {
          weigh_own_queries<false>(queries, scale, j0 + part, at.lane, scores);
        } else {
          weigh_own_queries<true>(queries, scale, j0 + part, at.lane, scores);
        }
      });
#pragma unroll
      for (int t = 0; t < kColumns / 8; ++t) {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const int column = part + 8 * t + e % 2;  // and the lane's
          const bool keeps = (kept[e / 2][column / kWordKeys] & (1U << column % kWordKeys)) != 0;
          scores[t][e] *= fmaf(keeps ? in.dropout.scale : 0.0F, dp[t][e], -queries.delta[e / 2]);
        }
      }
      std::uint32_t weights[kColumns / 16][4];
      pack_weights(scores, weights);
      begin_products();
      start_sums<D>(weights, rows, dq);
      commit_products();
      wait_for_products();
    }
  }
  const float factor[2] = {in.scale, in.scale};
  const int warp_first = at.warp * kOwnRows;
  put_rows<D>(g.dq, first_query + warp_first, min(max(count - warp_first, 0), kOwnRows), head, dq,
              factor, g.accumulate_dq);
}

template <bool kMasked, int kTiles>
__device__ void weigh_own_keys(const float* lse, const int (&first_seeing)[2], float scale, int i0,
                               int lane, float (&scores)[kTiles][4]) {
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
    const int column = 8 * t + lane % 4 * 2;
    const float2 lses = *reinterpret_cast<const float2*>(lse + column);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const bool seen = !kMasked || i0 + column + e % 2 >= first_seeing[e / 2];
      const float query_lse = e % 2 == 0 ? lses.x : lses.y;
      scores[t][e] = seen ? power_of_two(fmaf(scores[t][e], scale, -query_lse)) : 0.0F;
    }
  }
}

// dk and dv of 64 keys to a group.
template <int D, int kGroups, int kColumns>
__device__ void key_pass(const GroupGradients& g, const Sentence& sentence, int block_first,
                         int head, std::uint32_t tiles, GroupStatistics<kGroups>& statistics) {
  using Shared = GroupShared<D, kGroups>;
  constexpr int kTile = Shared::kTile;
  const AttentionProblem<bf16>& in = g.in;
  const GroupPlace at;
  const int first = block_first + at.group * kGroupRows;
  const int count = min(max(sentence.keys - first, 0), kGroupRows);
  const int block_begin = sentence.first_seeing(block_first) / kGroupRows * kGroupRows;
  const int begin =
      count > 0 ? sentence.first_seeing(first) / kGroupRows * kGroupRows : sentence.queries;
  const int seen_by_all = sentence.first_seeing(first + kGroupRows - 1);
  const int end = sentence.queries;
  const std::uint32_t own = tiles + at.group * 2 * kTile;
  const int group_thread = at.thread % kGroupThreads;
  const auto stage = [&](int i0) {
    const int place = i0 / kGroupRows % 2;
    const std::uint32_t tile = tiles + Shared::kOthers + place * 2 * kTile;
    stage_tile<D, kGroupThreads * kGroups>(in.q, sentence.first_query + i0, end - i0, head,
                                           at.thread, tile);
    stage_tile<D, kGroupThreads * kGroups>(g.dout, sentence.first_query + i0, end - i0, head,
                                           at.thread, tile + kTile);
    const int column = group_thread % kGroupRows;
    const int half = group_thread / kGroupRows;
    const bool there = i0 + column < end;
    const std::int64_t row = sentence.first_query + i0 + column;
    if (at.group == 0) {
      const float* from = half == 0 ? g.lse : g.delta;
      float* to = half == 0 ? statistics.lse[place] : statistics.delta[place];
      stage_word_async(there ? from + head * g.decisions.queries + row : from, there, to + column);
    }
    std::uint32_t* to = &statistics.kept[at.group][place][half][column];
    const int j = first + half * kWordKeys;
    if (g.decisions.words == nullptr) {
      *to = kAllKept;
    } else if (there && j < sentence.keys) {
      stage_word_async(g.decisions.of(head, j) + row, true, to);
    }
  };
  const std::int64_t first_key = sentence.first_key + first;
  stage_tile<D, kGroupThreads>(in.k, first_key, count, head, group_thread, own);
  stage_tile<D, kGroupThreads>(in.v, first_key, count, head, group_thread, own + kTile);
  if (block_begin < end) {
    stage(block_begin);
  }
  const int row = first + at.warp * kOwnRows + at.lane / 4;
  const int first_seeing[2] = {sentence.first_seeing(row), sentence.first_seeing(row + 8)};
  const int bit = at.warp % 2 * kOwnRows + at.lane / 4;
  const float scale = in.scale * kLog2E;
  float dk[MmaHead<D>::kTiles][4] = {};
  float dv[MmaHead<D>::kTiles][4] = {};
  for (int i0 = block_begin; i0 < end; i0 += kGroupRows) {
    wait_for_copies();
    show_to_tensor_cores();
    __syncthreads();  // this tile is there, and nobody works on the one before
    if (i0 + kGroupRows < end) {
      stage(i0 + kGroupRows);
    }
    if (i0 < begin) {
      continue;
    }
    const int place = i0 / kGroupRows % 2;
    const std::uint32_t tile = tiles + Shared::kOthers + place * 2 * kTile;
    const std::uint32_t* words = statistics.kept[at.group][place][at.warp / 2];
#pragma unroll
    for (int part = 0; part < kGroupRows; part += kColumns) {
      float scores[kColumns / 8][4];
      float dp[kColumns / 8][4];
      const std::uint32_t rows = tile + part / 8 * GroupHead<D>::kEightRows;
      find_scores<D>(own, rows, scores, dp, [&] {
        const float* lse = statistics.lse[place] + part;
        if (i0 >= seen_by_all) {
          weigh_own_keys<false>(lse, first_seeing, scale, i0 + part, at.lane, scores);
        } else {
          weigh_own_keys<true>(lse, first_seeing, scale, i0 + part, at.lane, scores);
        }
      });
#pragma unroll
      for (int t = 0; t < kColumns / 8; ++t) {
        const int column = part + 8 * t + at.lane % 4 * 2;
        const float2 delta = *reinterpret_cast<const float2*>(statistics.delta[place] + column);
        const uint2 kept = *reinterpret_cast<const uint2*>(words + column);
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const std::uint32_t bits = (e % 2 == 0 ? kept.x : kept.y) >> bit;
          const float factor = (bits & (1U << (8 * (e / 2)))) != 0 ? in.dropout.scale : 0.0F;
          const float p = scores[t][e];
          scores[t][e] = p * fmaf(factor, dp[t][e], e % 2 == 0 ? -delta.x : -delta.y);
          dp[t][e] = p * factor;
        }
      }
      std::uint32_t ds[kColumns / 16][4];
      std::uint32_t weights[kColumns / 16][4];
      pack_weights(scores, ds);
      pack_weights(dp, weights);
      begin_products();
      start_sums<D>(ds, rows, dk);
      start_sums<D>(weights, rows + kTile, dv);
      commit_products();
      wait_for_products();
    }
  }
  wait_for_copies();
  const float factor[2] = {in.scale, in.scale};
  const float one[2] = {1.0F, 1.0F};
  const int warp_first = at.warp * kOwnRows;
  const int mine = min(max(count - warp_first, 0), kOwnRows);
  put_rows<D>(g.dk, first_key + warp_first, mine, head, dk, factor, g.accumulate_dk);
  put_rows<D>(g.dv, first_key + warp_first, mine, head, dv, one, g.accumulate_dv);
}

template <int D, int kGroups, int kColumns>
__global__ void __launch_bounds__(kGroupThreads* kGroups, (kColumns == 32 ? 4 : 3) / kGroups)
    attention_backward_group_kernel(GroupGradients g) {
#if YONA_HAS_WGMMA
  constexpr int kRows = kGroups * kGroupRows;
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const GroupBlock block(g.in.heads, g.in.tiles);
  const Sentence sentence(g.in, block.sentence);
  if (!is_long(sentence)) {
    return;
  }
  const auto tiles = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_bytes));
  if (block.tile < g.query_tiles) {
    if (block.tile * kRows < sentence.queries) {
      query_pass<D, kGroups, kColumns>(g, sentence, block.tile * kRows, block.head, tiles);
    }
  } else if ((block.tile - g.query_tiles) * kRows < sentence.keys) {
    auto& statistics = *reinterpret_cast<GroupStatistics<kGroups>*>(
        shared_bytes + GroupShared<D, kGroups>::kStatistics);
    key_pass<D, kGroups, kColumns>(g, sentence, (block.tile - g.query_tiles) * kRows, block.head,
                                   tiles, statistics);
  }
#endif
}

template <int D, int kGroups, int kColumns>
void launch(GroupGradients gradients, const AttentionArgs& forward, cudaStream_t stream) {
  constexpr int kRows = kGroups * kGroupRows;
  gradients.query_tiles = static_cast<int>(blocks_for(forward.longest_q, kRows));
  gradients.in.tiles =
      gradients.query_tiles + static_cast<int>(blocks_for(forward.longest_k, kRows));
  constexpr std::size_t kShared = GroupShared<D, kGroups>::kBytes;
  allow_shared(attention_backward_group_kernel<D, kGroups, kColumns>, kShared);
  const auto blocks = static_cast<unsigned>(gradients.in.tiles * forward.sentences * forward.heads);
  attention_backward_group_kernel<D, kGroups, kColumns>
      <<<blocks, kGroupThreads * kGroups, kShared, stream>>>(gradients);
  check_launch("attention_backward");
}

}  // namespace

void launch_attention_backward_group(const AttentionBackwardArgs& args, CudaExec& exec, int groups,
                                     int columns) {
  const AttentionArgs& forward = args.forward;
  const std::int64_t statistics = forward.heads * (forward.q.rows + kLongRows);
  exec.scratch.begin(2 * Scratch::size_for<float>(statistics) + decision_bytes(forward),
                     exec.cuda_stream);
  auto* lse = exec.scratch.take<float>(statistics);
  auto* delta = exec.scratch.take<float>(statistics);
  GroupGradients gradients;
  gradients.decisions = prepare_decisions(forward, exec, args.dout, lse, delta);
  gradients.in = problem_of<bf16>(forward);
  gradients.dout = rows_of<bf16>(args.dout);
  gradients.dq = rows_of<bf16>(args.dq);
  gradients.dk = rows_of<bf16>(args.dk);
  gradients.dv = rows_of<bf16>(args.dv);
  gradients.accumulate_dq = args.accumulate_dq;
  gradients.accumulate_dk = args.accumulate_dk;
  gradients.accumulate_dv = args.accumulate_dv;
  gradients.lse = lse;
  gradients.delta = delta;
  const auto run = [&](auto d) {
    constexpr int kD = decltype(d)::value;
    if (groups == 1) {
      columns == 32 ? launch<kD, 1, 32>(gradients, forward, exec.cuda_stream)
                    : launch<kD, 1, 64>(gradients, forward, exec.cuda_stream);
    } else {
      columns == 32 ? launch<kD, 2, 32>(gradients, forward, exec.cuda_stream)
                    : launch<kD, 2, 64>(gradients, forward, exec.cuda_stream);
    }
  };
  if (forward.d_k == 32) {
    run(std::integral_constant<int, 32>{});
  } else {
    run(std::integral_constant<int, 64>{});
  }
}

}  // namespace yona::cuda
