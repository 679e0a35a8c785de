// Attention backward over long sentences with tensor cores; see attention/mma_tiled.cuh, and
// attention/general_backward.cuh for the gradients. Queries and keys are two passes of one shape:
// with x the rows that a warp owns (queries: q and dout; keys: k and v) and y the others,
//   scores = x₁ y₁ᵀ;  dp = x₂ y₂ᵀ;  dx₁ = scale · Σ ds y₁;  and for keys  dx₂ = Σ m p y₂
// What is needed of a tile is on its way while the one before is worked on: nothing waits for
// memory but the barrier.
// Blocks of both passes over one sentence follow each other, so that the second finds its rows in
// the cache.

#include "yona/backend/cuda/attention/general_backward.cuh"
#include "yona/backend/cuda/attention/mma_tiled.cuh"
#include "yona/backend/cuda/attention/partial_sums.cuh"

namespace yona::cuda {

namespace {

struct LongGradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  GradientPartials partials;
  const float* delta = nullptr;  // [T_q, h]
  KeepMask keep_mask;
  int query_tiles = 0;  // of the longest sentence; those of the keys follow
};

// D of every query and head: eight channels to a lane.
template <int D>
__global__ void __launch_bounds__(kThreads)
    delta_kernel(Rows<bf16> out, Rows<bf16> dout, std::int64_t items, int heads, float* delta) {
  constexpr int kPieces = D / kPack;  // lanes of an item
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t item = min(thread / kPieces, items - 1);  // the last one again: same result
  const std::int64_t row = item / heads;
  const std::int64_t channel = item % heads * D + thread % kPieces * kPack;
  float x[kPack];
  float y[kPack];
  load8(out.row(row) + channel, x);
  load8(dout.row(row) + channel, y);
  float sum = 0.0F;
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    sum += x[i] * y[i];
  }
#pragma unroll
  for (int distance = kPieces / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
  }
  if (thread % kPieces == 0 && thread / kPieces < items) {
    delta[item] = sum;
  }
}

template <int D>
struct LongShared {
  bf16 own[2][kLongWarps][kOwnRows * MmaHead<D>::kStride];  // x₁ and x₂
  bf16 others[kLongHeads][2][2][MmaHead<D>::kTile];         // y₁ and y₂, and the next ones
  // Of the queries, where those are the others, and the next ones: log-sums, D, and the keep mask
  // for the block's first and second 32 keys.
  float lse[kLongHeads][2][kOtherRows];
  float delta[kLongHeads][2][kOtherRows];
  std::uint32_t kept[kLongHeads][kLongRows / kWordKeys][2][kOtherRows];
};

// Begins to copy what the pass over keys block_first … needs to know of 32 queries from i0 on: each
// warp of a head has its part. A query that is not there has zeros everywhere, and so adds nothing
// to any sum.
template <int D>
__device__ void stage_statistics(const LongGradients& g, const Sentence& sentence, int i0,
                                 int block_first, const LongPlace& at, LongShared<D>& shared) {
  const int place = i0 / kOtherRows % 2;
  const bool there = at.head < g.in.heads && i0 + at.lane < sentence.queries;
  const std::int64_t row = sentence.first_query + i0 + at.lane;
  if (at.part == 0) {
    stage_word_async(there ? g.in.lse.row(row) + at.head : g.in.lse.data, there,
                     &shared.lse[at.slot][place][at.lane]);
  } else if (at.part == 1) {
    stage_word_async(there ? g.delta + row * g.in.heads + at.head : g.delta, there,
                     &shared.delta[at.slot][place][at.lane]);
  } else {
    const int half = at.part - 2;
    const int j = block_first + half * kWordKeys;
    std::uint32_t* to = &shared.kept[at.slot][half][place][at.lane];
    if (g.keep_mask.words == nullptr) {
      *to = kAllKept;
    } else if (there && j < sentence.keys) {
      stage_word_async(g.keep_mask.of(at.head, j) + row, true, to);
    }
  }
}

// The lane's two queries, where those are its own.
struct OwnQueries {
  std::int64_t row[2];  // in the batch
  int visible[2];
  QueryStatistics statistics[2];

  __device__ OwnQueries(const LongGradients& g, const Sentence& sentence, int first, int head) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int i = first + static_cast<int>(threadIdx.x) % kLanes / 4 + 8 * half;
      const bool there = head < g.in.heads && i < sentence.queries;
      row[half] = sentence.first_query + min(i, sentence.queries - 1);
      visible[half] = there ? sentence.visible(i) : 0;
      if (there) {
        statistics[half] = {g.in.lse.row(row[half])[head] * kLog2E,
                            g.delta[row[half] * g.in.heads + head]};
      }
    }
  }
};

// The block's row of the partial sums to which its rows, x₁ of keys for dq and x₂ of queries for
// dv, add.
template <int D>
__device__ void leave_partials(const LongGradients& g, float* partials, const LaneSums<D>& sums,
                               std::int64_t sentence_first, int tile, LongShared<D>& shared) {
  __syncthreads();  // no warp reads the tiles any more
  leave_sums<D, kLongWarps, kWarpsOfHead>(
      sums, reinterpret_cast<float*>(shared.others), static_cast<int>(blockIdx.y) * kLongHeads,
      g.in.heads,
      g.partials.row(partials, blockIdx.x / g.in.tiles, sentence_first, tile, g.in.heads * D));
}

// dq of 64 queries of two heads, and their share of the sum of dv.
template <int D>
__device__ void query_pass(const LongGradients& g, const Sentence& sentence, int block_first,
                           LongShared<D>& shared) {
  const AttentionProblem<bf16>& in = g.in;
  const LongPlace at;
  const bool there = at.head < in.heads;
  const int first = block_first + at.part * kOwnRows;
  const int count = there ? min(max(sentence.queries - first, 0), kOwnRows) : 0;
  const int end = sentence.visible(min(block_first + kLongRows, sentence.queries) - 1);
  const auto stage = [&](int j0) {
    bf16(&tiles)[2][MmaHead<D>::kTile] = shared.others[at.slot][j0 / kOtherRows % 2];
    const int keys = there ? end - j0 : 0;
    stage_part<D>(in.k, sentence.first_key + j0, keys, at, tiles[0]);
    stage_part<D>(in.v, sentence.first_key + j0, keys, at, tiles[1]);
  };
  const std::int64_t first_query = sentence.first_query + first;
  stage_async<D>(in.q, first_query, count, at.head, shared.own[0][at.warp]);
  stage_async<D>(g.dout, first_query, count, at.head, shared.own[1][at.warp]);
  stage(0);
  const OwnQueries queries(g, sentence, first, at.head);
  const auto word = [&](int half, int j0) {
    return there ? g.keep_mask.word(queries.row[half], at.head, j0) : kAllKept;
  };
  std::uint32_t next[2] = {word(0, 0), word(1, 0)};
  float dq[MmaHead<D>::kTiles][4] = {};
  float shares[2] = {};
  for (int j0 = 0; j0 < end; j0 += kOtherRows) {
    wait_for_copies();
    __syncthreads();  // this tile has arrived, and the one before is free
    const std::uint32_t kept[2] = {next[0], next[1]};
    if (j0 + kOtherRows < end) {
      stage(j0 + kOtherRows);
      next[0] = word(0, j0 + kOtherRows);
      next[1] = word(1, j0 + kOtherRows);
    }
    const bf16(&tiles)[2][MmaHead<D>::kTile] = shared.others[at.slot][j0 / kOtherRows % 2];
    OwnRows<D> own;
    float scores[kScoreTiles][4];
    float dp[kScoreTiles][4];
    load_own<D>(shared.own[0][at.warp], own);
    score_tile<D>(own, tiles[0], scores);
    load_own<D>(shared.own[1][at.warp], own);
    score_tile<D>(own, tiles[1], dp);
    weigh_keys(in, queries.visible, queries.statistics, kept, j0, scores, dp);
    if (g.partials.dv != nullptr) {
      add_row_shares(dp, shares);
    }
    add_tile<D>(scores, tiles[0], dq);
  }
  wait_for_copies();
  __syncwarp();  // the rows of a sentence without others, which no barrier has waited for
  const float scale[2] = {in.scale, in.scale};
  put_rows<D>(g.dq, first_query, count, at.head, dq, scale, g.accumulate_dq);
  if (g.partials.dv != nullptr) {
    LaneSums<D> sums = {};
    weigh_rows<D>(shared.own[1][at.warp], shares, count, 1.0F, sums);
    leave_partials(g, g.partials.dv, sums, sentence.first_query, block_first / kLongRows, shared);
  }
}

// dk and dv of 64 keys of two heads, and their share of the sum of dq.
template <int D>
__device__ void key_pass(const LongGradients& g, const Sentence& sentence, int block_first,
                         LongShared<D>& shared) {
  const AttentionProblem<bf16>& in = g.in;
  const LongPlace at;
  const bool there = at.head < in.heads;
  const int first = block_first + at.part * kOwnRows;
  const int count = there ? min(max(sentence.keys - first, 0), kOwnRows) : 0;
  const int begin = sentence.first_seeing(block_first) / kOtherRows * kOtherRows;
  const int end = sentence.queries;
  const auto stage = [&](int i0) {
    bf16(&tiles)[2][MmaHead<D>::kTile] = shared.others[at.slot][i0 / kOtherRows % 2];
    const int queries = there ? end - i0 : 0;
    stage_part<D>(in.q, sentence.first_query + i0, queries, at, tiles[0]);
    stage_part<D>(g.dout, sentence.first_query + i0, queries, at, tiles[1]);
    stage_statistics(g, sentence, i0, block_first, at, shared);
  };
  const std::int64_t first_key = sentence.first_key + first;
  stage_async<D>(in.k, first_key, count, at.head, shared.own[0][at.warp]);
  stage_async<D>(in.v, first_key, count, at.head, shared.own[1][at.warp]);
  stage(begin);
  const int row = first + at.lane / 4;
  const int first_seeing[2] = {sentence.first_seeing(row), sentence.first_seeing(row + 8)};
  float dk[MmaHead<D>::kTiles][4] = {};
  float dv[MmaHead<D>::kTiles][4] = {};
  float shares[2] = {};
  for (int i0 = begin; i0 < end; i0 += kOtherRows) {
    wait_for_copies();
    __syncthreads();  // this tile has arrived, and the one before is free
    if (i0 + kOtherRows < end) {
      stage(i0 + kOtherRows);
    }
    const int place = i0 / kOtherRows % 2;
    const bf16(&tiles)[2][MmaHead<D>::kTile] = shared.others[at.slot][place];
    OwnRows<D> own;
    float scores[kScoreTiles][4];
    float dp[kScoreTiles][4];
    load_own<D>(shared.own[0][at.warp], own);
    score_tile<D>(own, tiles[0], scores);
    load_own<D>(shared.own[1][at.warp], own);
    score_tile<D>(own, tiles[1], dp);
    weigh_queries(in, first_seeing, shared.lse[at.slot][place], shared.delta[at.slot][place],
                  shared.kept[at.slot][at.part / 2][place], first % kWordKeys, i0, scores, dp);
    if (g.partials.dq != nullptr) {
      add_row_shares(scores, shares);
    }
    add_tile<D>(scores, tiles[0], dk);
    add_tile<D>(dp, tiles[1], dv);
  }
  wait_for_copies();
  __syncwarp();  // the rows of a sentence without others, which no barrier has waited for
  const float scale[2] = {in.scale, in.scale};
  const float one[2] = {1.0F, 1.0F};
  put_rows<D>(g.dk, first_key, count, at.head, dk, scale, g.accumulate_dk);
  put_rows<D>(g.dv, first_key, count, at.head, dv, one, g.accumulate_dv);
  if (g.partials.dq != nullptr) {
    LaneSums<D> sums = {};
    weigh_rows<D>(shared.own[0][at.warp], shares, count, in.scale, sums);
    leave_partials(g, g.partials.dq, sums, sentence.first_key, block_first / kLongRows, shared);
  }
}

template <int D>
__global__ void __launch_bounds__(kLongThreads, 2) attention_backward_long_kernel(LongGradients g) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto& shared = *reinterpret_cast<LongShared<D>*>(shared_bytes);
  const Sentence sentence(g.in, blockIdx.x / g.in.tiles);
  if (!is_long(sentence)) {
    return;
  }
  const int tile = static_cast<int>(blockIdx.x % g.in.tiles);
  if (tile < g.query_tiles) {
    if (tile * kLongRows < sentence.queries) {
      query_pass<D>(g, sentence, tile * kLongRows, shared);
    }
  } else if ((tile - g.query_tiles) * kLongRows < sentence.keys) {
    key_pass<D>(g, sentence, (tile - g.query_tiles) * kLongRows, shared);
  }
}

template <int D>
void launch(const LongGradients& gradients, const AttentionArgs& forward, float* delta,
            cudaStream_t stream) {
  if (const std::int64_t items = forward.q.rows * forward.heads; items > 0) {
    delta_kernel<D><<<blocks_for(items * D / kPack, kThreads), kThreads, 0, stream>>>(
        gradients.in.out, gradients.dout, items, gradients.in.heads, delta);
    check_launch("attention_backward");
  }
  const dim3 grid(static_cast<unsigned>(gradients.in.tiles * forward.sentences),
                  blocks_for(forward.heads, kLongHeads));
  allow_shared(attention_backward_long_kernel<D>, sizeof(LongShared<D>));
  attention_backward_long_kernel<D>
      <<<grid, kLongThreads, sizeof(LongShared<D>), stream>>>(gradients);
  check_launch("attention_backward");
}

}  // namespace

std::int64_t attention_backward_mma_tiled_bytes(const AttentionArgs& args) {
  return Scratch::size_for<float>(args.q.rows * args.heads) + keep_mask_bytes(args);
}

void launch_attention_backward_mma_tiled(const AttentionBackwardArgs& args,
                                         const GradientPartials& partials, CudaExec& exec) {
  const AttentionArgs& forward = args.forward;
  auto* delta = exec.scratch.take<float>(forward.q.rows * forward.heads);
  LongGradients gradients;
  gradients.keep_mask = forward.longest_q > 0 ? make_keep_mask(forward, exec) : KeepMask{};
  set_gradients(args, gradients);
  gradients.partials = partials;
  gradients.delta = delta;
  gradients.query_tiles = static_cast<int>(blocks_for(forward.longest_q, kLongRows));
  gradients.in.tiles =
      gradients.query_tiles + static_cast<int>(blocks_for(forward.longest_k, kLongRows));
  if (forward.d_k == 32) {
    launch<32>(gradients, forward, delta, exec.cuda_stream);
  } else {
    launch<64>(gradients, forward, delta, exec.cuda_stream);
  }
}

}  // namespace yona::cuda
