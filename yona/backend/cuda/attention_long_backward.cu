// Attention backward over long sentences with tensor cores; see attention_long.cuh, and
// attention_backward.cuh for the gradients. Queries and keys are two passes of one shape: with x
// the rows that a warp owns (queries: q and dout; keys: k and v) and y the others,
//   scores = x₁ y₁ᵀ;  dp = x₂ y₂ᵀ;  dx₁ = scale · Σ ds y₁;  and for keys  dx₂ = Σ m p y₂
// Blocks of both passes over one sentence follow each other, so that the second finds its rows in
// the cache.

#include "yona/backend/cuda/attention_backward.cuh"
#include "yona/backend/cuda/attention_long.cuh"

namespace yona::cuda {

namespace {

struct LongGradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  const float* delta = nullptr;  // [T_q, h]
  DecisionTable decisions;
  int query_tiles = 0;  // of the longest sentence; those of the keys follow
};

// The log-sums and D of `rows` queries from `first` on, by the first lanes of this warp.
__device__ void load_statistics(const LongGradients& g, const Sentence& sentence, int first,
                                int rows, int head, float* lse, float* delta) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  if (lane < rows) {
    const bool inside = head < g.in.heads && first + lane < sentence.queries;
    const std::int64_t row = sentence.first_query + first + lane;
    lse[lane] = inside ? g.in.lse.row(row)[head] * kLog2E : INFINITY;
    delta[lane] = inside ? g.delta[row * g.in.heads + head] : 0.0F;
  }
}

template <int D>
struct LongShared {
  bf16 own[2][kLongWarps][kOwnRows * MmaHead<D>::kStride];  // x₁ and x₂
  bf16 others[kLongHeads][2][2][MmaHead<D>::kTile];         // y₁ and y₂, and the next ones
  float lse[kLongWarps][2][kOtherRows];                     // likewise, for each warp
  float delta[kLongWarps][2][kOtherRows];
};

template <int D, bool kQueriesOwn>
__device__ void pass(const LongGradients& g, const Sentence& sentence, int block_first,
                     LongShared<D>& shared) {
  const AttentionProblem<bf16>& in = g.in;
  const LongPlace at;
  const bool there = at.head < in.heads;
  const int first = block_first + at.part * kOwnRows;
  const int own_rows = kQueriesOwn ? sentence.queries : sentence.keys;
  const int count = there ? min(max(own_rows - first, 0), kOwnRows) : 0;
  const std::int64_t own_first = (kQueriesOwn ? sentence.first_query : sentence.first_key) + first;
  const std::int64_t others_first = kQueriesOwn ? sentence.first_key : sentence.first_query;
  const int block_last = min(block_first + kLongRows, own_rows) - 1;
  const int begin = kQueriesOwn ? 0 : sentence.first_seeing(block_first) / kOtherRows * kOtherRows;
  const int end = kQueriesOwn ? sentence.visible(block_last) : sentence.queries;
  const auto stage = [&](int other0) {
    const int place = other0 / kOtherRows % 2;
    const int others = there ? end - other0 : 0;
    stage_part<D>(kQueriesOwn ? in.k : in.q, others_first + other0, others, at,
                  shared.others[at.slot][place][0]);
    stage_part<D>(kQueriesOwn ? in.v : g.dout, others_first + other0, others, at,
                  shared.others[at.slot][place][1]);
    if (!kQueriesOwn) {
      load_statistics(g, sentence, other0, kOtherRows, at.head, shared.lse[at.warp][place],
                      shared.delta[at.warp][place]);
    }
  };
  stage_async<D>(kQueriesOwn ? in.q : in.k, own_first, count, at.head, shared.own[0][at.warp]);
  stage_async<D>(kQueriesOwn ? g.dout : in.v, own_first, count, at.head, shared.own[1][at.warp]);
  if (kQueriesOwn) {
    load_statistics(g, sentence, first, kOwnRows, at.head, shared.lse[at.warp][0],
                    shared.delta[at.warp][0]);
  }
  stage(begin);
  const Decisions decisions = g.decisions.of(sentence.first_query, at.head);
  float dx1[MmaHead<D>::kTiles][4] = {};
  float dx2[MmaHead<D>::kTiles][4] = {};
  for (int other0 = begin; other0 < end; other0 += kOtherRows) {
    wait_for_copies();
    __syncthreads();  // this tile is there, and nobody works on the one before
    if (other0 + kOtherRows < end) {
      stage(other0 + kOtherRows);
    }
    const int place = other0 / kOtherRows % 2;
    const bf16* tile1 = shared.others[at.slot][place][0];
    const bf16* tile2 = shared.others[at.slot][place][1];
    const int statistics = kQueriesOwn ? 0 : place;
    const QueryStatistics queries{shared.lse[at.warp][statistics],
                                  shared.delta[at.warp][statistics], kQueriesOwn ? first : other0,
                                  decisions};
    OwnRows<D> own;
    float scores[kScoreTiles][4];
    float dp[kScoreTiles][4];
    load_own<D>(shared.own[0][at.warp], own);
    score_tile<D>(own, tile1, scores);
    load_own<D>(shared.own[1][at.warp], own);
    score_tile<D>(own, tile2, dp);
    weigh<kQueriesOwn>(in, sentence, queries, first, other0, scores, dp);
    add_tile<D>(scores, tile1, dx1);
    if (!kQueriesOwn) {
      add_tile<D>(dp, tile2, dx2);
    }
  }
  wait_for_copies();
  const float scale[2] = {in.scale, in.scale};
  const float one[2] = {1.0F, 1.0F};
  if (kQueriesOwn) {
    put_rows<D>(g.dq, own_first, count, at.head, dx1, scale, g.accumulate_dq);
  } else {
    put_rows<D>(g.dk, own_first, count, at.head, dx1, scale, g.accumulate_dk);
    put_rows<D>(g.dv, own_first, count, at.head, dx2, one, g.accumulate_dv);
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
      pass<D, true>(g, sentence, tile * kLongRows, shared);
    }
  } else if ((tile - g.query_tiles) * kLongRows < sentence.keys) {
    pass<D, false>(g, sentence, (tile - g.query_tiles) * kLongRows, shared);
  }
}

template <int D>
void launch(const LongGradients& gradients, const AttentionArgs& forward, cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>(gradients.in.tiles * forward.sentences),
                  blocks_for(forward.heads, kLongHeads));
  allow_shared(attention_backward_long_kernel<D>, sizeof(LongShared<D>));
  attention_backward_long_kernel<D>
      <<<grid, kLongThreads, sizeof(LongShared<D>), stream>>>(gradients);
  check_launch("attention_backward");
}

}  // namespace

void launch_attention_backward_long(const AttentionBackwardArgs& args, CudaExec& exec) {
  const AttentionArgs& forward = args.forward;
  const std::int64_t deltas = forward.q.rows * forward.heads;
  exec.scratch.begin(Scratch::size_for<float>(deltas) + decision_bytes(forward), exec.cuda_stream);
  auto* delta = exec.scratch.take<float>(deltas);
  find_delta<bf16>(forward, args.dout, delta, exec.cuda_stream);
  LongGradients gradients;
  gradients.decisions = forward.longest_q > 0 ? make_decisions(forward, exec) : DecisionTable{};
  gradients.in = problem_of<bf16>(forward);
  gradients.dout = rows_of<bf16>(args.dout);
  gradients.dq = rows_of<bf16>(args.dq);
  gradients.dk = rows_of<bf16>(args.dk);
  gradients.dv = rows_of<bf16>(args.dv);
  gradients.accumulate_dq = args.accumulate_dq;
  gradients.accumulate_dk = args.accumulate_dk;
  gradients.accumulate_dv = args.accumulate_dv;
  gradients.delta = delta;
  gradients.query_tiles = static_cast<int>(blocks_for(forward.longest_q, kLongRows));
  gradients.in.tiles =
      gradients.query_tiles + static_cast<int>(blocks_for(forward.longest_k, kLongRows));
  if (forward.d_k == 32) {
    launch<32>(gradients, forward, exec.cuda_stream);
  } else {
    launch<64>(gradients, forward, exec.cuda_stream);
  }
}

}  // namespace yona::cuda
