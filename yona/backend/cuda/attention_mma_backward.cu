// Attention backward with tensor cores; see attention_mma.cuh. Queries and keys are two passes of
// one shape: with x the rows that a warp owns (queries: q and dout; keys: k and v) and y the
// others,
//   scores = x₁ y₁ᵀ;  dp = x₂ y₂ᵀ;  dx₁ = scale · Σ ds y₁;  and for keys  dx₂ = Σ m p y₂
// Blocks of both passes over one sentence follow each other, so that the second finds its rows in
// the cache.

#include "yona/backend/cuda/attention_mma.cuh"

namespace yona::cuda {

namespace {

struct Gradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  const float* delta = nullptr;  // [T_q, h]
  int query_tiles = 0;           // of the longest sentence; those of the keys follow
};

// Scores become ds, and dp becomes m p. `statistics` has the log-sum and D of the lane's queries:
// those of its two rows where queries are owned, of its eight columns elsewhere.
template <bool kQueriesOwn>
__device__ void weigh(const AttentionProblem<bf16>& in, const Sentence& sentence, int own0,
                      int other0, int own_count, const float* lse, const float* delta,
                      const std::uint8_t* kept, int warp, float (&scores)[kScoreTiles][4],
                      float (&dp)[kScoreTiles][4]) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int own = lane / 4 + 8 * half;
#pragma unroll
    for (int t = 0; t < kScoreTiles; ++t) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        const int other = 8 * t + lane % 4 * 2 + e;
        const int i = kQueriesOwn ? own0 + own : other0 + other;
        const int j = kQueriesOwn ? other0 + other : own0 + own;
        const int query = kQueriesOwn ? own : other;  // its place in the statistics
        float& score = scores[t][2 * half + e];
        float& weight = dp[t][2 * half + e];
        float p = 0.0F;
        float factor = 1.0F;
        if (own < own_count && i < sentence.queries && j < sentence.visible(i)) {
          p = expf(score * in.scale - lse[query]);
        }
        if (in.dropout.threshold != 0) {
          factor = (kept[own * kOtherRows + other] >> warp) & 1U ? in.dropout.scale : 0.0F;
        }
        score = p * (factor * weight - delta[query]);
        weight = p * factor;
      }
    }
  }
}

// The log-sums and D of `rows` queries from `first` on, into this warp's part of shared memory.
__device__ void load_statistics(const Gradients& g, const Sentence& sentence, int first, int rows,
                                int head, bool there, float* lse, float* delta) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  if (lane < rows) {
    const bool inside = there && first + lane < sentence.queries;
    const std::int64_t row = sentence.first_query + first + lane;
    lse[lane] = inside ? g.in.lse.row(row)[head] : 0.0F;
    delta[lane] = inside ? g.delta[row * g.in.heads + head] : 0.0F;
  }
}

template <int D, bool kQueriesOwn>
__device__ void pass(const Gradients& g, const Sentence& sentence, int first,
                     unsigned char* shared_bytes) {
  using Head = MmaHead<D>;
  const AttentionProblem<bf16>& in = g.in;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  auto* kept = shared_bytes;  // [kOwnRows, kOtherRows]
  float* lse =
      reinterpret_cast<float*>(shared_bytes + kOwnRows * kOtherRows) + warp * 2 * kOtherRows;
  float* delta = lse + kOtherRows;
  bf16* tile1 = reinterpret_cast<bf16*>(shared_bytes + kOwnRows * kOtherRows +
                                        kHeadGroup * 2 * kOtherRows * sizeof(float)) +
                warp * 2 * Head::kTile;
  bf16* tile2 = tile1 + Head::kTile;
  const int head = static_cast<int>(blockIdx.y) * kHeadGroup + warp;
  const bool there = head < in.heads;
  const int own_rows = kQueriesOwn ? sentence.queries : sentence.keys;
  const int count = there ? min(own_rows - first, kOwnRows) : 0;
  const std::int64_t own_first = (kQueriesOwn ? sentence.first_query : sentence.first_key) + first;
  const std::int64_t others_first = kQueriesOwn ? sentence.first_key : sentence.first_query;
  OwnRows<D> x1;
  OwnRows<D> x2;
  load_own<D>(kQueriesOwn ? in.q : in.k, own_first, count, head, x1);
  load_own<D>(kQueriesOwn ? g.dout : in.v, own_first, count, head, x2);
  if (kQueriesOwn) {
    load_statistics(g, sentence, first, kOwnRows, head, there, lse, delta);
  }
  float dx1[Head::kTiles][4] = {};
  float dx2[Head::kTiles][4] = {};
  const int begin = kQueriesOwn ? 0 : sentence.first_seeing(first);
  const int end = kQueriesOwn ? sentence.visible(min(first + kOwnRows, sentence.queries) - 1)
                              : sentence.queries;
  for (int other0 = begin; other0 < end; other0 += kOtherRows) {
    const int others = there ? min(end - other0, kOtherRows) : 0;
    __syncthreads();
    stage<D>(kQueriesOwn ? in.k : in.q, others_first + other0, others, head, tile1);
    stage<D>(kQueriesOwn ? in.v : g.dout, others_first + other0, others, head, tile2);
    if (!kQueriesOwn) {
      load_statistics(g, sentence, other0, kOtherRows, head, there, lse, delta);
    }
    if (in.dropout.threshold != 0) {
      decide_dropout<kQueriesOwn>(in, sentence, first, other0, kept);
    }
    __syncthreads();
    float scores[kScoreTiles][4];
    float dp[kScoreTiles][4];
    score_tile<D>(x1, tile1, scores);
    score_tile<D>(x2, tile2, dp);
    weigh<kQueriesOwn>(in, sentence, first, other0, count, lse, delta, kept, warp, scores, dp);
    add_tile<D>(scores, tile1, dx1);
    if (!kQueriesOwn) {
      add_tile<D>(dp, tile2, dx2);
    }
  }
  const float scale[2] = {in.scale, in.scale};
  const float one[2] = {1.0F, 1.0F};
  if (kQueriesOwn) {
    put_own<D>(g.dq, own_first, count, head, dx1, scale, g.accumulate_dq);
  } else {
    put_own<D>(g.dk, own_first, count, head, dx1, scale, g.accumulate_dk);
    put_own<D>(g.dv, own_first, count, head, dx2, one, g.accumulate_dv);
  }
}

template <int D>
__global__ void __launch_bounds__(kHeadGroup* kLanes) attention_backward_mma_kernel(Gradients g) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const Sentence sentence(g.in, blockIdx.x / g.in.tiles);
  const int tile = static_cast<int>(blockIdx.x % g.in.tiles);
  if (tile < g.query_tiles) {
    if (tile * kOwnRows < sentence.queries) {
      pass<D, true>(g, sentence, tile * kOwnRows, shared_bytes);
    }
  } else if ((tile - g.query_tiles) * kOwnRows < sentence.keys) {
    pass<D, false>(g, sentence, (tile - g.query_tiles) * kOwnRows, shared_bytes);
  }
}

template <int D>
void launch(const AttentionBackwardArgs& args, const float* delta, cudaStream_t stream) {
  const AttentionArgs& forward = args.forward;
  Gradients gradients;
  gradients.in = problem_of<bf16>(forward);
  gradients.dout = rows_of<bf16>(args.dout);
  gradients.dq = rows_of<bf16>(args.dq);
  gradients.dk = rows_of<bf16>(args.dk);
  gradients.dv = rows_of<bf16>(args.dv);
  gradients.accumulate_dq = args.accumulate_dq;
  gradients.accumulate_dk = args.accumulate_dk;
  gradients.accumulate_dv = args.accumulate_dv;
  gradients.delta = delta;
  gradients.query_tiles = static_cast<int>(blocks_for(forward.longest_q, kOwnRows));
  gradients.in.tiles =
      gradients.query_tiles + static_cast<int>(blocks_for(forward.longest_k, kOwnRows));
  const int warps = forward.heads < kHeadGroup ? static_cast<int>(forward.heads) : kHeadGroup;
  const dim3 grid(static_cast<unsigned>(gradients.in.tiles * forward.sentences),
                  blocks_for(forward.heads, kHeadGroup));
  const std::size_t shared = kOwnRows * kOtherRows + kHeadGroup * 2 * kOtherRows * sizeof(float) +
                             static_cast<std::size_t>(warps) * 2 * MmaHead<D>::kTile * sizeof(bf16);
  allow_shared(attention_backward_mma_kernel<D>, shared);
  attention_backward_mma_kernel<D>
      <<<grid, static_cast<unsigned>(warps * kLanes), shared, stream>>>(gradients);
  check_launch("attention_backward");
}

}  // namespace

void launch_attention_backward_mma(const AttentionBackwardArgs& args, const float* delta,
                                   cudaStream_t stream) {
  if (args.forward.d_k == 32) {
    launch<32>(args, delta, stream);
  } else {
    launch<64>(args, delta, stream);
  }
}

}  // namespace yona::cuda
