// Attention forward over short sentences with tensor cores; see attention_short.cuh.

#include "yona/backend/cuda/attention_short.cuh"

namespace yona::cuda {

namespace {

// 16 kM queries: scores become weights before division, dropped where the words say so.
template <int kM, int kN>
struct ShortSoftmax {
  float largest[kM][2];  // times scale and log2(e)
  float sum[kM][2];

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
            x = power_of_two(x * scale - top);
            added += x;
          }
        }
        largest[m][half] = top;
        sum[m][half] = row_sum(added);
      }
    }
  }
};

// What is kept in registers until it is used, instead of shared memory.
enum class Queries { shared, registers, all };

template <int D, Queries kAsked, int R, int H>
__device__ void attend(const AttentionProblem<bf16>& p, const Sentence& sentence,
                       const ShortPlace<R, H>& place, unsigned char* shared_bytes) {
  constexpr int kM = kLongestShort / R;  // times 16 queries at once
  constexpr int kN = R / 8;
  constexpr Queries kQueries =
      kAsked == Queries::all && R > kShortRows ? Queries::registers : kAsked;
  constexpr bool kShared = kQueries == Queries::shared;
  const ShortLane at = ShortLane::of<D>();
  auto& decisions = *reinterpret_cast<ShortDecisions<R, H>*>(shared_bytes);
  auto* tiles = reinterpret_cast<bf16*>(shared_bytes + sizeof(ShortDecisions<R, H>));
  bf16* keys = tiles + place.slot * 2 * R * kShortStride;  // [R, D]
  bf16* values = keys + R * kShortStride;
  bf16* own = tiles + (2 * H * R + place.warp * kShortRows) * kShortStride;
  const int first = place.first;
  const bool there = place.head < p.heads;
  const int count = there ? min(max(sentence.queries - first, 0), kShortRows) : 0;
  const int key_count = there ? min(max(sentence.keys - first, 0), kShortRows) : 0;
  RowWords<D> q[4];
  if constexpr (kShared) {
    stage_short<D>(p.q, sentence.first_query + first, count, place.head, own);
  } else {
    read_words<D>(p.q, sentence.first_query + first, count, place.head, at, q);
  }
  RowWords<D> k[4];
  PairWords<D> v[2];
  if constexpr (kQueries == Queries::all) {
    static_assert(R == kShortRows);
    read_words<D>(p.k, sentence.first_key + first, key_count, place.head, at, k);
    read_pairs<D>(p.v, sentence.first_key + first, key_count, place.head, at, v);
  } else {
    stage_short<D>(p.k, sentence.first_key + first, key_count, place.head,
                   keys + first * kShortStride);
    stage_short<D>(p.v, sentence.first_key + first, key_count, place.head,
                   values + first * kShortStride);
  }
  const bool drops = p.dropout.threshold != 0;
  if (drops) {
    decisions.template decide<true>(p, sentence, place, at);
  }
  wait_for_copies();
  __syncthreads();
  if (count == 0) {
    return;
  }
  std::uint32_t kept[R / kShortRows];
#pragma unroll
  for (int part = 0; part < R / kShortRows; ++part) {
    kept[part] = drops ? decisions.of(place, part, at) : kAllKept;
  }
#pragma unroll
  for (int m0 = 0; m0 < 2; m0 += kM) {
    if (16 * m0 >= count) {
      break;
    }
    if constexpr (kShared) {
#pragma unroll
      for (int i = 0; i < 2 * kM; ++i) {
        load_words<D>(own + (16 * m0 + 8 * i) * kShortStride, at, q[2 * m0 + i]);
      }
    }
    float scores[kM][kN][4];
    if constexpr (kQueries == Queries::all) {
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        score_rows<D>(q + 2 * m0, k[n], n, scores);
      }
    } else {
      score_tile<D>(q + 2 * m0, keys, at, scores);
    }
    int visible[kM][2];
#pragma unroll
    for (int m = 0; m < kM; ++m) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = 16 * (m0 + m) + 8 * half + at.row;
        visible[m][half] = (row < count ? sentence.visible(first + row) : 0) - 2 * at.column;
      }
    }
    ShortSoftmax<kM, kN> softmax;
    softmax.soften(p.scale * kLog2E, visible, scores);
    if (drops) {
#pragma unroll
      for (int m = 0; m < kM; ++m) {
#pragma unroll
        for (int n = 0; n < kN; ++n) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const std::uint32_t bit = 1U << (n % 4 * 8 + (m0 + m) * 4 + i);
            scores[m][n][i] = kept[n / 4] & bit ? scores[m][n][i] : 0.0F;
          }
        }
      }
    }
    std::uint32_t weights[kM][kN / 2][4];
    pack_scores(scores, weights);
    ShortSums<D> out[kM] = {};
    const int end = sentence.visible(first + min(16 * (m0 + kM), count) - 1);
#pragma unroll
    for (int step = 0; step < kN / 2; ++step) {
      if (R > kShortest && 16 * step >= end) {
        break;
      }
      std::uint32_t left[kM][4];
#pragma unroll
      for (int m = 0; m < kM; ++m) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          left[m][i] = weights[m][step][i];
        }
      }
      if constexpr (kQueries == Queries::all) {
        add_products<D>(left, v[step], out);
      } else {
        add_products<D>(left, values + 16 * step * kShortStride, at, out);
      }
    }
#pragma unroll
    for (int m = 0; m < kM; ++m) {
      const int rows = count - 16 * (m0 + m);
      const std::int64_t first_row = sentence.first_query + first + 16 * (m0 + m);
      const float* sum = softmax.sum[m];
      const float share[2] = {sum[0] > 0.0F ? p.dropout.scale / sum[0] : 0.0F,
                              sum[1] > 0.0F ? p.dropout.scale / sum[1] : 0.0F};
      put_sums<D>(p.out, first_row, rows, place.head, at, out[m], share, false);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = at.row + 8 * half;
        if (at.column == 0 && row < rows) {
          p.lse.row(first_row + row)[place.head] =
              sum[half] > 0.0F ? softmax.largest[m][half] / kLog2E + logf(sum[half]) : -INFINITY;
        }
      }
    }
  }
}

template <int D, int H, ShortLengths kLengths, int kBlocks, Queries kQueries>
__global__ void __launch_bounds__(H* kLanes, kBlocks)
    attention_short_kernel(AttentionProblem<bf16> p, int groups) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  with_place<H, kLengths>(p, groups, [&](const auto& place, const Sentence& sentence) {
    attend<D, kQueries>(p, sentence, place, shared_bytes);
  });
}

template <int D, int H, ShortLengths kLengths, int kBlocks, Queries kQueries>
void launch(const AttentionArgs& args, cudaStream_t stream) {
  constexpr int kTiles = kQueries == Queries::shared ? 3 : 2;
  constexpr std::size_t kShared = sizeof(ShortDecisions<kLongestShort, H / 2>) +
                                  (kQueries == Queries::all && kLengths == ShortLengths::to_32
                                       ? 0
                                       : sizeof(bf16) * kTiles * H * kShortTile);
  const auto kernel = attention_short_kernel<D, H, kLengths, kBlocks, kQueries>;
  allow_shared(kernel, kShared);
  const int groups = short_groups<H, kLengths>(args);
  kernel<<<static_cast<unsigned>(args.sentences * groups), H * kLanes, kShared, stream>>>(
      problem_of<bf16>(args), groups);
  check_launch("attention");
}

}  // namespace

void launch_attention_short(const AttentionArgs& args, cudaStream_t stream) {
  with_short_sizes(args, [&](auto d, auto lengths) {
    launch<decltype(d)::value, 4, decltype(lengths)::value, 4, Queries::shared>(args, stream);
  });
}

}  // namespace yona::cuda
