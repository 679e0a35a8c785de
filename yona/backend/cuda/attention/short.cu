// Attention forward over short sentences with tensor cores; see attention/short.cuh.

#include "yona/backend/cuda/attention/short.cuh"
#include "yona/backend/cuda/common/dependent_launch.cuh"

namespace yona::cuda {

namespace {

// Of 16 kM queries, for which scores become weights before division.
template <int kM>
struct ShortSoftmax {
  float largest[kM][2];  // times scale and log2(e)
  float sum[kM][2];

  // `visible` counts from column 2c on.
  template <int kN>
  __device__ void soften(float scale, const int (&visible)[kM][2], float (&scores)[kM][kN][4]) {
    if (scale < 0.0F) {  // the largest is to be that of the products
#pragma unroll
      for (int m = 0; m < kM; ++m) {
#pragma unroll
        for (int n = 0; n < kN; ++n) {
#pragma unroll
          for (float& x : scores[m][n]) {
            x = -x;
          }
        }
      }
    }
    scale = fmaxf(fabsf(scale), 1e-30F);  // of what is not seen too, the product is -infinity
#pragma unroll
    for (int m = 0; m < kM; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float top = -INFINITY;
#pragma unroll
        for (int n = 0; n < kN; ++n) {
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            float& x = scores[m][n][2 * half + e];
            x = 8 * n + e < visible[m][half] ? x : -INFINITY;
            top = fmaxf(top, x);
          }
        }
        top = row_max(top);
        top = top == -INFINITY ? 0.0F : top * scale;
        float added = 0.0F;
#pragma unroll
        for (int n = 0; n < kN; ++n) {
#pragma unroll
          for (int e = 0; e < 2; ++e) {
            float& x = scores[m][n][2 * half + e];
            x = exp2_fast(x * scale - top);
            added += x;
          }
        }
        largest[m][half] = top;
        sum[m][half] = row_sum(added);
      }
    }
  }
};

// Weights that are not kept become zero; 16 · m0 is the first of the rows.
template <int kM, int kN>
__device__ void drop(const std::uint32_t (&kept)[kN / 4], int m0, float (&weights)[kM][kN][4]) {
#pragma unroll
  for (int m = 0; m < kM; ++m) {
#pragma unroll
    for (int n = 0; n < kN; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t bit = 1U << (n % 4 * 8 + (m0 + m) * 4 + i);
        weights[m][n][i] = kept[n / 4] & bit ? weights[m][n][i] : 0.0F;
      }
    }
  }
}

// The results and log-sums of 16 queries from `first` of the batch on, `count` of which are there.
template <int D>
__device__ void put_queries(const AttentionProblem<bf16>& p, std::int64_t first, int count,
                            int head, const ShortLane& at, const float (&largest)[2],
                            const float (&sum)[2], const ShortSums<D>& out) {
  const float share[2] = {sum[0] > 0.0F ? p.dropout.scale / sum[0] : 0.0F,
                          sum[1] > 0.0F ? p.dropout.scale / sum[1] : 0.0F};
  put_sums<D>(p.out, first, count, head, at, out, share, false);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = at.row + 8 * half;
    if (at.column == 0 && row < count) {
      p.lse.row(first + row)[head] =
          sum[half] > 0.0F ? largest[half] / kLog2E + logf(sum[half]) : -INFINITY;
    }
  }
}

// The warp's 32 queries, all at once or, where tiles hold 64 keys, 16 at a time.
template <int D, int R, int H>
__device__ void attend(const AttentionProblem<bf16>& p, const Sentence& sentence,
                       const ShortPlace<R, H>& place, unsigned char* shared_bytes) {
  constexpr int kM = kLongestShort / R;  // times 16 queries at once
  constexpr int kN = R / 8;
  const ShortLane at = ShortLane::of<D>();
  auto& keep_mask = *reinterpret_cast<ShortKeepMask<R, H>*>(shared_bytes);
  auto* tiles = reinterpret_cast<bf16*>(shared_bytes + sizeof(ShortKeepMask<R, H>));
  bf16* keys = tiles + place.slot * 2 * R * kShortStride;  // [R, D]
  bf16* values = keys + R * kShortStride;
  bf16* own = tiles + (2 * H * R + place.warp * kShortRows) * kShortStride;
  const int first = place.first;
  const bool there = place.head < p.heads;
  const int count = there ? min(max(sentence.queries - first, 0), kShortRows) : 0;
  const int key_count = there ? min(max(sentence.keys - first, 0), kShortRows) : 0;
  stage_short<D>(p.q, sentence.first_query + first, count, place.head, own);
  stage_short<D>(p.k, sentence.first_key + first, key_count, place.head,
                 keys + first * kShortStride);
  stage_short<D>(p.v, sentence.first_key + first, key_count, place.head,
                 values + first * kShortStride);
  const bool drops = p.dropout.threshold != 0;
  if (drops) {
    keep_mask.template decide<true>(p, sentence, place, at);
  }
  wait_for_copies();
  __syncthreads();
  if (count == 0) {
    return;
  }
  std::uint32_t kept[R / kShortRows];
#pragma unroll
  for (int part = 0; part < R / kShortRows; ++part) {
    kept[part] = drops ? keep_mask.of(place, part, at) : kAllKept;
  }
#pragma unroll
  for (int m0 = 0; m0 < 2; m0 += kM) {
    if (16 * m0 >= count) {
      break;
    }
    RowWords<D> q[2 * kM];
    int visible[kM][2];
#pragma unroll
    for (int i = 0; i < 2 * kM; ++i) {
      const int row = 16 * m0 + 8 * i;
      load_words<D>(own + row * kShortStride, at, q[i]);
      visible[i / 2][i % 2] =
          (row + at.row < count ? sentence.visible(first + row + at.row) : 0) - 2 * at.column;
    }
    float scores[kM][kN][4];
    score_tile<D>(q, keys, at, scores);
    ShortSoftmax<kM> softmax;
    softmax.soften(p.scale * kLog2E, visible, scores);
    if (drops) {
      drop(kept, m0, scores);
    }
    std::uint32_t weights[kN / 2][kM][4];
    pack_scores(scores, weights);
    ShortSums<D> out[kM] = {};
    const int end = sentence.visible(first + min(16 * (m0 + kM), count) - 1);
#pragma unroll
    for (int step = 0; step < kN / 2; ++step) {
      if (R > kShortRows && 16 * step >= end) {
        break;
      }
      add_products<D>(weights[step], values + 16 * step * kShortStride, at, out);
    }
#pragma unroll
    for (int m = 0; m < kM; ++m) {
      const int row = 16 * (m0 + m);
      put_queries<D>(p, sentence.first_query + first + row, count - row, place.head, at,
                     softmax.largest[m], softmax.sum[m], out[m]);
    }
  }
}

template <int D, class Launch>
__global__ void __launch_bounds__(Launch::kThreads, Launch::kBlocks)
    attention_short_kernel(AttentionProblem<bf16> p, int groups) {
  wait_for_previous_grid();
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  Launch::with_place(p, groups, [&](const auto& place, const Sentence& sentence) {
    attend<D>(p, sentence, place, shared_bytes);
  });
}

}  // namespace

// Blocks of eight warps, two to a multiprocessor: with four of four, sentences of 32 tokens take 8
// % more time, those of 8 to 56 a third.
void launch_attention_short(const AttentionArgs& args, cudaStream_t stream) {
  with_short_sizes(args, [&](auto d, auto lengths) {
    using Launch = ShortLaunch<decltype(lengths)::value, 8, 2>;
    constexpr int kShared =
        Launch::kDecisions + int{sizeof(bf16)} * 3 * Launch::kWarps * kShortTile;
    const auto kernel = attention_short_kernel<decltype(d)::value, Launch>;
    allow_shared(kernel, kShared);
    const int groups = Launch::groups(args);
    launch_dependent(
        kernel, {static_cast<unsigned>(args.sentences * groups), Launch::kThreads, int{kShared}},
        stream, "attention", problem_of<bf16>(args), groups);
  });
}

}  // namespace yona::cuda
