// Attention backward over short sentences with tensor cores; see attention_short.cuh, and
// attention_backward.cuh for the gradients. A warp takes 32 keys of its head and all queries: it
// forms the scores once, as keys × queries, and from them dv and dk. The scores' gradients it
// leaves in shared memory, where its values were, and then takes 32 queries, for dq.
//
// The logarithm of the scale's magnitude is added to the exponent: the scores' gradients then have
// the scale, but for its sign, in them, and so have the weights, by which dv is divided in the end.

#include <cmath>

#include "yona/backend/cuda/attention_short.cuh"
#include "yona/backend/cuda/attention_sums.cuh"

namespace yona::cuda {

namespace {

struct Gradients {
  AttentionProblem<bf16> in;
  Rows<bf16> dout, dq, dk, dv;
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  GradientPartials partials;
  float magnitude = 1.0F, sign = 1.0F;  // of the scale; 1 and 0 where it is 0
  float log2_magnitude = 0.0F;
};

// What a head has in shared memory: all rows of the sentence.
struct HeadTiles {
  bf16 *q, *k, *v, *dout;  // [R, D]
  bf16* ds;                // [R keys, R queries]: where v or dout are, when they are not needed
  float2* statistics;      // [R]: log-sum · log2(e) - log2(magnitude), and sign · D of
                           // attention_backward.cuh; infinite and 0 for queries that are not there
};

// D = dout · out of the warp's 32 queries: the diagonals of products of their rows.
template <int D>
__device__ void find_delta(const RowWords<D> (&out)[4], const bf16* dout, float sign,
                           const ShortLane& at, float2* statistics) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float product[1][1][4];
    score_tile<D>(out + i / 2 * 2, dout + 8 * i * kShortStride, at, product);
    const float* mine = product[0][0] + i % 2 * 2;
    if (at.row / 2 == at.column) {
      statistics[8 * i + at.row].y = sign * (at.row % 2 == 0 ? mine[0] : mine[1]);
    }
  }
}

// Sums over rows, of which a lane has D/4 columns: those of pieces c and c + 4 (or of piece c).
template <int D>
using ColumnShares = float[D / 4];

template <int D, int kM>
__device__ void add_shares(const ShortSums<D> (&sums)[kM], ColumnShares<D>& shares) {
#pragma unroll
  for (int m = 0; m < kM; ++m) {
#pragma unroll
    for (int t = 0; t < D / 8; ++t) {
      shares[t] += sums[m][t][0] + sums[m][t][2];
      shares[D / 8 + t] += sums[m][t][1] + sums[m][t][3];
    }
  }
}

// The warp's sums in `parts`, memory for [8, D + 4]: D/32 columns to a lane, from lane · D/32 on.
template <int D>
__device__ void join_shares(const ColumnShares<D>& shares, float factor, const ShortLane& at,
                            float* parts, LaneSums<D>& sums) {
  constexpr int kPartStride = D + 4;
  constexpr int kPiece = D / 8;
  __syncwarp();
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int piece = D == 64 ? at.column + 4 * i : 2 * at.column + i;
#pragma unroll
    for (int t = 0; t < kPiece; t += 4) {
      const float* from = shares + i * kPiece + t;
      *reinterpret_cast<float4*>(parts + at.row * kPartStride + piece * kPiece + t) =
          make_float4(from[0], from[1], from[2], from[3]);
    }
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < D / kLanes; ++i) {
    float total = 0.0F;
#pragma unroll
    for (int row = 0; row < 8; ++row) {
      total += parts[row * kPartStride + at.lane * (D / kLanes) + i];
    }
    sums[i] = total * factor;
  }
}

// Scores and dout · v of 16 kM keys and all queries become, times the scale's magnitude, its sign ·
// ds and, where kept, p; both zero where the query does not see the key. `first_seeing` counts from
// column 2c on.
template <int kM, int kN>
__device__ void weigh_short(float scale, float keep_scale, const int (&first_seeing)[kM][2],
                            const std::uint32_t (&kept)[kN / 4], int m0, const float2* statistics,
                            const ShortLane& at, float (&scores)[kM][kN][4],
                            float (&dp)[kM][kN][4]) {
#pragma unroll
  for (int n = 0; n < kN; ++n) {
    const float4 both = *reinterpret_cast<const float4*>(statistics + 8 * n + 2 * at.column);
#pragma unroll
    for (int m = 0; m < kM; ++m) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int e = i % 2;
        const std::uint32_t bit = 1U << (n % 4 * 8 + (m0 + m) * 4 + i);
        const bool keeps = (kept[n / 4] & bit) != 0;
        float p = power_of_two(scores[m][n][i] * scale - (e == 0 ? both.x : both.z));
        p = 8 * n + e >= first_seeing[m][i / 2] ? p : 0.0F;
        const float got = keeps ? dp[m][n][i] : 0.0F;
        scores[m][n][i] = p * (got * keep_scale - (e == 0 ? both.y : both.w));
        dp[m][n][i] = keeps ? p : 0.0F;
      }
    }
  }
}

// left · (all rows of a tile of which `count` are there).
template <int D, int kM, int kSteps>
__device__ void multiply_tile(const std::uint32_t (&left)[kM][kSteps][4], const bf16* tile,
                              int count, const ShortLane& at, ShortSums<D> (&sums)[kM]) {
#pragma unroll
  for (int step = 0; step < kSteps; ++step) {
    if (step >= 2 && 16 * step >= count) {
      break;
    }
    std::uint32_t a[kM][4];
#pragma unroll
    for (int m = 0; m < kM; ++m) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[m][i] = left[m][step][i];
      }
    }
    add_products<D>(a, tile + 16 * step * kShortStride, at, sums);
  }
}

// dv and dk of the warp's 32 keys; the scores' gradients instead of its values; and its share of
// the sum of dv.
template <int D, bool kRead, int R, int H>
__device__ void key_pass(const Gradients& g, const Sentence& sentence,
                         const ShortPlace<R, H>& place, const ShortLane& at, const HeadTiles& tiles,
                         const RowWords<D> (&v)[4], const std::uint32_t (&kept)[R / kShortRows],
                         ColumnShares<D>& dv_shares) {
  constexpr int kM = kLongestShort / R;
  constexpr int kN = R / 8;
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
    std::uint32_t ds[kM][kN / 2][4];
    std::uint32_t weights[kM][kN / 2][4];
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
          *reinterpret_cast<std::uint32_t*>(to) = ds[m][n / 2][n % 2 * 2 + half];
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
__device__ void query_pass(const Gradients& g, const Sentence& sentence,
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

// The sums of a head's warps, added in order, into its columns of the sentence's row of partial
// sums; nothing where there is no row. `mine` and `others` are memory for D of this warp's and of
// the last's.
template <int D, int R, int H>
__device__ void leave_sums(const ShortPlace<R, H>& place, bool there, const ShortLane& at,
                           LaneSums<D>& sums, float* mine, float* others, float* row) {
  constexpr int kEach = D / kLanes;
  if constexpr (R > kShortRows) {
    static_assert(R == 2 * kShortRows);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      mine[at.lane * kEach + i] = sums[i];
    }
    __syncthreads();
    if (place.part == 0) {
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        sums[i] += others[at.lane * kEach + i];
      }
    }
  }
  if (there && place.part == 0 && row != nullptr) {
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      row[place.head * D + at.lane * kEach + i] = sums[i];
    }
  }
}

template <int D, bool kAsked, int R, int H>
__device__ void find_gradients(const Gradients& g, const Sentence& sentence,
                               const ShortPlace<R, H>& place, unsigned char* shared_bytes) {
  const AttentionProblem<bf16>& in = g.in;
  const ShortLane at = ShortLane::of<D>();
  auto& decisions = *reinterpret_cast<ShortDecisions<R, H>*>(shared_bytes);
  auto* statistics = reinterpret_cast<float2*>(shared_bytes + sizeof(ShortDecisions<R, H>));
  constexpr bool kRead = kAsked && R == kShortRows;
  constexpr int kTile = R * kShortStride;
  auto* memory = reinterpret_cast<bf16*>(statistics + H * R) + place.slot * (kRead ? 3 : 4) * kTile;
  const HeadTiles tiles{memory,
                        memory + kTile,
                        kRead ? nullptr : memory + 3 * kTile,
                        memory + 2 * kTile,
                        memory + (kRead ? 2 : 3) * kTile,
                        statistics + place.slot * R};
  const int first = place.first;
  const int own = first * kShortStride;
  const bool there = place.head < in.heads;
  const int queries = there ? min(max(sentence.queries - first, 0), kShortRows) : 0;
  const int keys = there ? min(max(sentence.keys - first, 0), kShortRows) : 0;
  const std::int64_t first_query = sentence.first_query + first;
  const std::int64_t first_key = sentence.first_key + first;
  RowWords<D> out[4];
  stage_short<D>(g.dout, first_query, queries, place.head, tiles.dout + own);
  read_words<D>(in.out, first_query, queries, place.head, at, out);
  RowWords<D> v[4];
  if constexpr (kRead) {
    read_words<D>(in.v, first_key, keys, place.head, at, v);
  } else {
    stage_short<D>(in.v, first_key, keys, place.head, tiles.v + own);
  }
  stage_short<D>(in.q, first_query, queries, place.head, tiles.q + own);
  stage_short<D>(in.k, first_key, keys, place.head, tiles.k + own);
  tiles.statistics[first + at.lane].x =
      at.lane < queries ? in.lse.row(first_query + at.lane)[place.head] * kLog2E - g.log2_magnitude
                        : INFINITY;
  const bool drops = in.dropout.threshold != 0;
  if (drops) {
    decisions.template decide<false>(in, sentence, place, at);
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
      kept[part] = drops ? decisions.of(place, part, at) : kAllKept;
    }
    key_pass<D, kRead>(g, sentence, place, at, tiles, v, kept, dv_shares);
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
  if (g.partials.dv != nullptr) {  // queries and their gradients are not needed any more
    auto* parts = reinterpret_cast<float*>(tiles.q + own);
    LaneSums<D> sums;
    join_shares<D>(dv_shares, in.dropout.scale / g.magnitude, at, parts, sums);
    parts += 8 * (D + 4);
    leave_sums<D>(place, there, at, sums, parts, parts + kShortTile / 2,
                  g.partials.row(g.partials.dv, place.sentence, sentence.first_query, 0, cols));
  }
  if (g.partials.dq != nullptr) {
    auto* parts = reinterpret_cast<float*>(tiles.dout + own);
    LaneSums<D> sums;
    join_shares<D>(dq_shares, 1.0F, at, parts, sums);
    parts += 8 * (D + 4);
    leave_sums<D>(place, there, at, sums, parts, parts + kShortTile / 2,
                  g.partials.row(g.partials.dq, place.sentence, sentence.first_key, 0, cols));
  }
}

template <int D, int H, ShortLengths kLengths, int kBlocks, bool kRead>
__global__ void __launch_bounds__(H* kLanes, kBlocks)
    attention_backward_short_kernel(Gradients g, int groups) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  with_place<H, kLengths>(g.in, groups, [&](const auto& place, const Sentence& sentence) {
    find_gradients<D, kRead>(g, sentence, place, shared_bytes);
  });
}

template <int D, int H, ShortLengths kLengths, int kBlocks, bool kRead>
void launch(const AttentionBackwardArgs& args, const GradientPartials& partials,
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
  const float scale = args.forward.scale;
  gradients.magnitude = scale == 0.0F ? 1.0F : std::abs(scale);
  gradients.sign = scale == 0.0F ? 0.0F : std::copysign(1.0F, scale);
  gradients.log2_magnitude = std::log2(gradients.magnitude);
  constexpr std::size_t kShared =
      sizeof(ShortDecisions<kLongestShort, H / 2>) + sizeof(float2) * H * kShortRows +
      sizeof(bf16) * (kRead && kLengths == ShortLengths::to_32 ? 3 : 4) * H * kShortTile;
  const auto kernel = attention_backward_short_kernel<D, H, kLengths, kBlocks, kRead>;
  allow_shared(kernel, kShared);
  const int groups = short_groups<H, kLengths>(args.forward);
  kernel<<<static_cast<unsigned>(args.forward.sentences * groups), H * kLanes, kShared, stream>>>(
      gradients, groups);
  check_launch("attention_backward");
}

}  // namespace

void launch_attention_backward_short(const AttentionBackwardArgs& args,
                                     const GradientPartials& partials, cudaStream_t stream) {
  with_short_sizes(args.forward, [&](auto d, auto lengths) {
    launch<decltype(d)::value, 4, decltype(lengths)::value, 3, false>(args, partials, stream);
  });
}

}  // namespace yona::cuda
