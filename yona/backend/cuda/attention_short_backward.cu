// Attention backward over short sentences with tensor cores; see attention_short.cuh, and
// attention_backward.cuh for the gradients. Every warp takes 16 queries and then 16 keys of its
// head; both passes form the scores again, so that sums have a fixed order and nothing is shared
// but what was read.

#include "yona/backend/cuda/attention_short.cuh"
#include "yona/backend/cuda/attention_sums.cuh"

namespace yona::cuda {

namespace {

struct Gradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  GradientPartials partials;
};

// What a head has in shared memory: all rows of the sentence.
template <int R>
struct HeadRows {
  const bf16 *q, *k, *v, *dout;  // [R, D]
  const float *lse, *delta;      // [R]: infinite and zero for queries that are not there
  const ShortDecisions<R>& decisions;
};

// D = dout · out, of 16 queries: eight (or four) lanes to a row.
template <int D>
__device__ void find_delta(const AttentionProblem<bf16>& in, std::int64_t first, int count,
                           int head, const bf16* dout, float* delta) {
  constexpr int kPieces = D / 8;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int piece = lane % kPieces * 8;
#pragma unroll
  for (int r = 0; r < kOwnRows; r += kLanes / kPieces) {
    const int row = r + lane / kPieces;
    float sum = 0.0F;
    if (row < count) {
      float x[kPack];
      float y[kPack];
      load8(in.out.row(first + row) + head * D + piece, x);
      load8(dout + row * MmaHead<D>::kStride + piece, y);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        sum += x[i] * y[i];
      }
    }
#pragma unroll
    for (int distance = kPieces / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xFFFFFFFFU, sum, distance);
    }
    if (lane % kPieces == 0) {
      delta[row] = sum;
    }
  }
}

// dq of 16 queries, and their share of the sum of dv.
template <int D, int R>
__device__ void query_pass(const Gradients& g, const Sentence& sentence, const ShortPlace<R>& at,
                           const HeadRows<R>& rows, LaneSums<D>& dv_sums) {
  constexpr int kStride = MmaHead<D>::kStride;
  const int first = at.first;
  const int count = min(sentence.queries - first, kOwnRows);
  const int row = first + at.lane / 4;
  const int visible[2] = {sentence.visible(row), sentence.visible(row + 8)};
  const QueryStatistics queries[2] = {{rows.lse[row] * kLog2E, rows.delta[row]},
                                      {rows.lse[row + 8] * kLog2E, rows.delta[row + 8]}};
  float dq[MmaHead<D>::kTiles][4] = {};
  float shares[2] = {};
  const int end = sentence.visible(first + count - 1);
#pragma unroll
  for (int j0 = 0; j0 < R; j0 += kOtherRows) {
    if (j0 >= end) {
      break;
    }
    OwnRows<D> own;
    float scores[kScoreTiles][4];
    float dp[kScoreTiles][4];
    load_own<D>(rows.q + first * kStride, own);
    score_tile<D>(own, rows.k + j0 * kStride, scores);
    load_own<D>(rows.dout + first * kStride, own);
    score_tile<D>(own, rows.v + j0 * kStride, dp);
    const std::uint32_t* words = rows.decisions.of(at.slot, j0) + row;
    const std::uint32_t kept[2] = {words[0], words[8]};
    weigh_keys(g.in, visible, queries, kept, j0, scores, dp);
    if (g.partials.dv != nullptr) {
      add_row_shares(dp, shares);
    }
    add_tile<D>(scores, rows.k + j0 * kStride, dq);
  }
  const float scale[2] = {g.in.scale, g.in.scale};
  put_rows<D>(g.dq, sentence.first_query + first, count, at.head, dq, scale, g.accumulate_dq);
  if (g.partials.dv != nullptr) {
    weigh_rows<D>(rows.dout + first * kStride, shares, count, 1.0F, dv_sums);
  }
}

// dv and dk of 16 keys, and their share of the sum of dq. With all queries in one tile, dv is
// written before dk is begun, so that a warp needs fewer registers.
template <int D, int R>
__device__ void key_pass(const Gradients& g, const Sentence& sentence, const ShortPlace<R>& at,
                         const HeadRows<R>& rows, LaneSums<D>& dq_sums) {
  constexpr int kStride = MmaHead<D>::kStride;
  constexpr bool kOneTile = R == kOtherRows;
  const int first = at.first;
  const int count = min(sentence.keys - first, kOwnRows);
  const std::int64_t first_key = sentence.first_key + first;
  const float scale[2] = {g.in.scale, g.in.scale};
  const float one[2] = {1.0F, 1.0F};
  const int row = first + at.lane / 4;
  const int first_seeing[2] = {sentence.first_seeing(row), sentence.first_seeing(row + 8)};
  const std::uint32_t* words = rows.decisions.of(at.slot, first);
  float dv[MmaHead<D>::kTiles][4] = {};
  float dk[MmaHead<D>::kTiles][4] = {};
  float shares[2] = {};
  const int begin = sentence.first_seeing(first) / kOtherRows * kOtherRows;
#pragma unroll
  for (int i0 = 0; i0 < R; i0 += kOtherRows) {
    if (kOneTile || (i0 >= begin && i0 < sentence.queries)) {
      OwnRows<D> own;
      float scores[kScoreTiles][4];
      float dp[kScoreTiles][4];
      load_own<D>(rows.k + first * kStride, own);
      score_tile<D>(own, rows.q + i0 * kStride, scores);
      load_own<D>(rows.v + first * kStride, own);
      score_tile<D>(own, rows.dout + i0 * kStride, dp);
      weigh_queries(g.in, first_seeing, rows.lse + i0, rows.delta + i0, words + i0,
                    first % kWordKeys, i0, scores, dp);
      if (g.partials.dq != nullptr) {
        add_row_shares(scores, shares);
      }
      add_tile<D>(dp, rows.dout + i0 * kStride, dv);
      if (kOneTile) {
        put_rows<D>(g.dv, first_key, count, at.head, dv, one, g.accumulate_dv);
      }
      add_tile<D>(scores, rows.q + i0 * kStride, dk);
    }
  }
  if (!kOneTile) {
    put_rows<D>(g.dv, first_key, count, at.head, dv, one, g.accumulate_dv);
  }
  put_rows<D>(g.dk, first_key, count, at.head, dk, scale, g.accumulate_dk);
  if (g.partials.dq != nullptr) {
    weigh_rows<D>(rows.k + first * kStride, shares, count, g.in.scale, dq_sums);
  }
}

// The block's row of partial sums of dq and dv. `parts` is memory that warps may still read.
template <int D, int R>
__device__ void leave_partials(const Gradients& g, const Sentence& sentence,
                               const LaneSums<D>& dq_sums, const LaneSums<D>& dv_sums,
                               float* parts) {
  constexpr int kWarpsOfHead = ShortPlace<R>::kWarpsOfHead;
  const int first_head = static_cast<int>(blockIdx.y) * ShortPlace<R>::kHeads;
  const int cols = g.in.heads * D;
  __syncthreads();
  if (g.partials.dq != nullptr) {
    leave_sums<D, kShortWarps, kWarpsOfHead>(
        dq_sums, parts, first_head, g.in.heads,
        g.partials.row(g.partials.dq, blockIdx.x, sentence.first_key, 0, cols));
  }
  if (g.partials.dv != nullptr) {
    leave_sums<D, kShortWarps, kWarpsOfHead>(
        dv_sums, parts + kShortWarps * D, first_head, g.in.heads,
        g.partials.row(g.partials.dv, blockIdx.x, sentence.first_query, 0, cols));
  }
}

template <int D, int R>
__global__ void __launch_bounds__(kShortThreads, kShortBlocks<R>)
    attention_backward_short_kernel(Gradients g, int least) {
  constexpr int kStride = MmaHead<D>::kStride;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const AttentionProblem<bf16>& in = g.in;
  const ShortPlace<R> at;
  auto& decisions = *reinterpret_cast<ShortDecisions<R>*>(shared_bytes);
  auto* statistics =
      reinterpret_cast<float*>(shared_bytes + sizeof(ShortDecisions<R>));  // [heads, 2, R]
  float* lse = statistics + at.slot * 2 * R;
  float* delta = lse + R;
  auto* tiles = reinterpret_cast<bf16*>(statistics + 2 * kShortWarps * kOwnRows);
  bf16* q = tiles + at.slot * 4 * R * kStride;
  bf16* k = q + R * kStride;
  bf16* v = k + R * kStride;
  bf16* dout = v + R * kStride;

  const Sentence sentence(in, blockIdx.x);
  if (!takes<R>(sentence, least)) {
    return;
  }
  const int first = at.first;
  const bool there = at.head < in.heads;
  const int queries = there ? min(max(sentence.queries - first, 0), kOwnRows) : 0;
  const int keys = there ? min(max(sentence.keys - first, 0), kOwnRows) : 0;
  const std::int64_t first_query = sentence.first_query + first;
  const std::int64_t first_key = sentence.first_key + first;
  stage_async<D>(in.q, first_query, queries, at.head, q + first * kStride);
  stage_async<D>(g.dout, first_query, queries, at.head, dout + first * kStride);
  stage_async<D>(in.k, first_key, keys, at.head, k + first * kStride);
  stage_async<D>(in.v, first_key, keys, at.head, v + first * kStride);
  if (at.lane < kOwnRows) {
    lse[first + at.lane] =
        at.lane < queries ? in.lse.row(first_query + at.lane)[at.head] : INFINITY;
  }
  decisions.decide(in, sentence, at);
  wait_for_copies();
  __syncwarp();
  find_delta<D>(in, first_query, queries, at.head, dout + first * kStride, delta + first);
  __syncthreads();
  const HeadRows<R> rows{q, k, v, dout, lse, delta, decisions};
  LaneSums<D> dq_sums = {};
  LaneSums<D> dv_sums = {};
  if (queries > 0) {
    query_pass<D>(g, sentence, at, rows, dv_sums);
  }
  if (keys > 0) {
    key_pass<D>(g, sentence, at, rows, dq_sums);
  }
  if (g.partials.dq != nullptr || g.partials.dv != nullptr) {
    leave_partials<D, R>(g, sentence, dq_sums, dv_sums, reinterpret_cast<float*>(tiles));
  }
}

template <int D, int R>
void launch(const AttentionBackwardArgs& args, const GradientPartials& partials, int least,
            cudaStream_t stream) {
  Gradients gradients;
  gradients.in = problem_of<bf16>(args.forward);
  gradients.dout = rows_of<bf16>(args.dout);
  gradients.dq = rows_of<bf16>(args.dq);
  gradients.dk = rows_of<bf16>(args.dk);
  gradients.dv = rows_of<bf16>(args.dv);
  gradients.accumulate_dq = args.accumulate_dq;
  gradients.accumulate_dk = args.accumulate_dk;
  gradients.accumulate_dv = args.accumulate_dv;
  gradients.partials = partials;
  constexpr std::size_t kShared = sizeof(ShortDecisions<R>) +
                                  sizeof(float) * 2 * kShortWarps * kOwnRows +
                                  sizeof(bf16) * 4 * kShortWarps * kOwnRows * MmaHead<D>::kStride;
  allow_shared(attention_backward_short_kernel<D, R>, kShared);
  attention_backward_short_kernel<D, R>
      <<<short_grid<R>(args.forward), kShortThreads, kShared, stream>>>(gradients, least);
  check_launch("attention_backward");
}

}  // namespace

void launch_attention_backward_short(const AttentionBackwardArgs& args,
                                     const GradientPartials& partials, cudaStream_t stream) {
  with_short_sizes(args.forward, [&](auto d, auto rows, int least) {
    launch<decltype(d)::value, decltype(rows)::value>(args, partials, least, stream);
  });
}

}  // namespace yona::cuda
