// Attention backward over short sentences with tensor cores; see attention/short.cuh, and
// attention/general_backward.cuh for the gradients. A warp takes 32 keys of its head and all
// queries: it forms the scores once, as keys × queries, and from them dv and dk. The scores'
// gradients it leaves in shared memory, and then takes 32 queries, for dq.
//
// The logarithm of the scale's magnitude is added to the exponent: the scores' gradients then have
// the scale, but for its sign, in them, and so have the weights, by which dv is divided in the end.

#include <cmath>

#include "yona/backend/cuda/attention/short_backward.cuh"
#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/runtime/capability.h"

namespace yona::cuda {

namespace {

// dv and dk of the warp's 32 keys, whose values are `v` where they are not in shared memory; the
// scores' gradients; and the warp's share of the sum of dv. All keys at once or, where there is
// tiles of 64 queries, 16 at a time.
template <int D, int R, int H>
__device__ void key_pass(const ShortGradients& g, const Sentence& sentence,
                         const ShortPlace<R, H>& place, const ShortLane& at,
                         const HeadTiles<R, H>& tiles, const RowWords<D> (&v)[4],
                         const std::uint32_t (&kept)[R / kShortRows], ColumnShares<D>& dv_shares) {
  constexpr int kM = kLongestShort / R;
  constexpr int kN = R / 8;
  constexpr bool kRead = !HeadTiles<R, H>::kHasValues;
  const int first = place.first;
  const int count = min(sentence.keys - first, kShortRows);
#pragma unroll
  for (int m0 = 0; m0 < 2; m0 += kM) {
    if (16 * m0 >= count) {
      break;
    }
    const int row = first + 16 * m0;
    float scores[kM][kN][4];
    float dp[kM][kN][4];
    {
      RowWords<D> own[2 * kM];
      if constexpr (kRead) {
        score_tile<D>(v, tiles.dout, at, dp);
      } else {
#pragma unroll
        for (int i = 0; i < 2 * kM; ++i) {
          load_words<D>(tiles.v + (row + 8 * i) * kShortStride, at, own[i]);
        }
        score_tile<D>(own, tiles.dout, at, dp);
      }
#pragma unroll
      for (int i = 0; i < 2 * kM; ++i) {
        load_words<D>(tiles.k + (row + 8 * i) * kShortStride, at, own[i]);
      }
      score_tile<D>(own, tiles.q, at, scores);
    }
    int first_seeing[kM][2];
#pragma unroll
    for (int m = 0; m < kM; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int key = row + 16 * m + 8 * half + at.row;
        first_seeing[m][half] =
            (key < sentence.keys ? sentence.first_seeing(key) : 2 * R) - 2 * at.column;
      }
    }
    weigh_short(g.in.scale * kLog2E, g.in.dropout.scale * g.sign, first_seeing, kept, m0,
                tiles.statistics, at, scores, dp);
    std::uint32_t ds[kN / 2][kM][4];
    std::uint32_t weights[kN / 2][kM][4];
    pack_scores(scores, ds);
    pack_scores(dp, weights);
    const float unscaled = g.in.dropout.scale / g.magnitude;
    const std::int64_t to = sentence.first_key + row;
    {
      ShortSums<D> dv[kM] = {};
      multiply_tile<D>(weights, tiles.dout, sentence.queries, at, dv);
      const float factor[2] = {unscaled, unscaled};
#pragma unroll
      for (int m = 0; m < kM; ++m) {
        put_sums<D>(g.dv, to + 16 * m, count - 16 * (m0 + m), place.head, at, dv[m], factor,
                    g.accumulate_dv);
      }
      if (g.partials.dv != nullptr) {
        add_shares<D>(dv, dv_shares);
      }
    }
    __syncwarp();  // what is there has been read
#pragma unroll
    for (int m = 0; m < kM; ++m) {
#pragma unroll
      for (int n = 0; n < kN; ++n) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          bf16* to = tiles.ds + (row + 16 * m + 8 * half) * kShortStride + (at.scores ^ (8 * n));
          *reinterpret_cast<std::uint32_t*>(to) = ds[n / 2][m][n % 2 * 2 + half];
        }
      }
    }
    {
      ShortSums<D> dk[kM] = {};
      multiply_tile<D>(ds, tiles.q, sentence.queries, at, dk);
      const float factor[2] = {1.0F, 1.0F};
#pragma unroll
      for (int m = 0; m < kM; ++m) {
        put_sums<D>(g.dk, to + 16 * m, count - 16 * (m0 + m), place.head, at, dk[m], factor,
                    g.accumulate_dk);
      }
    }
  }
}

// dq of the warp's 32 queries, and its share of their sum. `ds` is [R keys, R queries].
template <int D, int R, int H>
__device__ void query_pass(const ShortGradients& g, const Sentence& sentence,
                           const ShortPlace<R, H>& place, const ShortLane& at, const bf16* ds,
                           const bf16* keys, ColumnShares<D>& dq_shares) {
  const int count = min(sentence.queries - place.first, kShortRows);
  ShortSums<D> dq[2] = {};
#pragma unroll
  for (int step = 0; step < R / 16; ++step) {
    if (16 * step >= sentence.keys) {
      break;
    }
    const int key = 16 * step + at.lane / 16 * 8 + at.lane % 8;
    std::uint32_t left[2][4];
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      ldmatrix_transposed(left[m],
                          ds + short_place(key, place.first / 8 + 2 * m + at.lane / 8 % 2));
    }
    add_products<D>(left, keys + 16 * step * kShortStride, at, dq);
  }
  const float factor[2] = {1.0F, 1.0F};
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    put_sums<D>(g.dq, sentence.first_query + place.first + 16 * m, count - 16 * m, place.head, at,
                dq[m], factor, g.accumulate_dq);
  }
  if (g.partials.dq != nullptr) {
    add_shares<D>(dq, dq_shares);
  }
}

template <int D, int R, int H>
__device__ void find_gradients(const ShortGradients& g, const Sentence& sentence,
                               const ShortPlace<R, H>& place, unsigned char* shared_bytes) {
  const AttentionProblem<bf16>& in = g.in;
  const ShortLane at = ShortLane::of<D>();
  auto& keep_mask = *reinterpret_cast<ShortKeepMask<R, H>*>(shared_bytes);
  const HeadTiles<R, H> tiles(shared_bytes + sizeof(ShortKeepMask<R, H>), place.slot);
  const int first = place.first;
  const int own = first * kShortStride;
  const bool there = place.head < in.heads;
  const int queries = there ? min(max(sentence.queries - first, 0), kShortRows) : 0;
  const int keys = there ? min(max(sentence.keys - first, 0), kShortRows) : 0;
  const std::int64_t first_query = sentence.first_query + first;
  const std::int64_t first_key = sentence.first_key + first;
  RowWords<D> out[4];
  RowWords<D> v[4];
  stage_short<D>(g.dout, first_query, queries, place.head, tiles.dout + own);
  read_words<D>(in.out, first_query, queries, place.head, at, out);
  if constexpr (HeadTiles<R, H>::kHasValues) {
    stage_short<D>(in.v, first_key, keys, place.head, tiles.v + own);
  } else {
    read_words<D>(in.v, first_key, keys, place.head, at, v);
  }
  stage_short<D>(in.q, first_query, queries, place.head, tiles.q + own);
  stage_short<D>(in.k, first_key, keys, place.head, tiles.k + own);
  tiles.statistics[first + at.lane].x =
      at.lane < queries ? in.lse.row(first_query + at.lane)[place.head] * kLog2E - g.log2_magnitude
                        : INFINITY;
  const bool drops = in.dropout.threshold != 0;
  if (drops) {
    keep_mask.template decide<false>(in, sentence, place, at);
  }
  wait_for_copies();
  __syncwarp();
  find_delta<D>(out, tiles.dout + own, g.sign, at, tiles.statistics + first);
  __syncthreads();
  ColumnShares<D> dv_shares = {};
  ColumnShares<D> dq_shares = {};
  if (keys > 0) {
    std::uint32_t kept[R / kShortRows];
#pragma unroll
    for (int part = 0; part < R / kShortRows; ++part) {
      kept[part] = drops ? keep_mask.of(place, part, at) : kAllKept;
    }
    key_pass<D>(g, sentence, place, at, tiles, v, kept, dv_shares);
  }
  if constexpr (R > kShortRows) {
    __syncthreads();
  } else {
    __syncwarp();
  }
  if (queries > 0) {
    query_pass<D>(g, sentence, place, at, tiles.ds, tiles.k, dq_shares);
  }
  const int cols = in.heads * D;
  if (g.partials.dv != nullptr) {  // queries and dout are not needed any more
    leave_shares<D>(place, there, at, dv_shares, in.dropout.scale / g.magnitude, tiles.q + own,
                    g.partials.row(g.partials.dv, place.sentence, sentence.first_query, 0, cols));
  }
  if (g.partials.dq != nullptr) {
    leave_shares<D>(place, there, at, dq_shares, 1.0F, tiles.dout + own,
                    g.partials.row(g.partials.dq, place.sentence, sentence.first_key, 0, cols));
  }
}

template <int D, class Launch>
__global__ void __launch_bounds__(Launch::kThreads, Launch::kBlocks)
    attention_backward_short_kernel(ShortGradients g, int groups) {
  wait_for_previous_grid();
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Launch::with_place(g.in, groups, [&](const auto& place, const Sentence& sentence) {
    find_gradients<D>(g, sentence, place, shared_bytes);
  });
}

ShortGradients gradients_of(const AttentionBackwardArgs& args, const GradientPartials& partials) {
  ShortGradients g;
  set_gradients(args, g);
  g.partials = partials;
  const float scale = args.forward.scale;
  g.magnitude = scale == 0.0F ? 1.0F : std::abs(scale);
  g.sign = scale == 0.0F ? 0.0F : std::copysign(1.0F, scale);
  g.log2_magnitude = std::log2(g.magnitude);
  return g;
}

// Up to 32 tokens memory is what takes the time: three blocks of four warps hide it best. With
// longer sentences it is instructions, of which blocks of eight warps, whose heads share more of
// Philox, have fewer; shared memory allows one.
template <ShortLengths kLengths>
using BackwardLaunch = std::conditional_t<kLengths == ShortLengths::to_32,
                                          ShortLaunch<kLengths, 4, 3>, ShortLaunch<kLengths, 8, 1>>;

template <class Launch>
constexpr std::size_t kSharedOf =
    Launch::kDecisions +
    (sizeof(float2) + sizeof(bf16) * HeadTiles<kShortRows, Launch::kWarps>::kTiles * kShortStride) *
        Launch::kWarps* kShortRows;

}  // namespace

// The small cards of Ampere and Ada lack the shared memory for longer sentences.
bool short_backward_fits(const AttentionArgs& args) {
  return std::max(args.longest_q, args.longest_k) <= kShortRows ||
         shared_memory_limit() >= static_cast<int>(kSharedOf<BackwardLaunch<ShortLengths::to_64>>);
}

void launch_attention_backward_short(const AttentionBackwardArgs& args,
                                     const GradientPartials& partials, cudaStream_t stream) {
  with_short_sizes(args.forward, [&](auto d, auto lengths) {
    using Launch = BackwardLaunch<decltype(lengths)::value>;
    constexpr std::size_t kShared = kSharedOf<Launch>;
    const auto kernel = attention_backward_short_kernel<decltype(d)::value, Launch>;
    allow_shared(kernel, kShared);
    const int groups = Launch::groups(args.forward);
    launch_dependent(
        kernel,
        {static_cast<unsigned>(args.forward.sentences * groups), Launch::kThreads, int{kShared}},
        stream, "attention_backward", gradients_of(args, partials), groups);
  });
}

}  // namespace yona::cuda
