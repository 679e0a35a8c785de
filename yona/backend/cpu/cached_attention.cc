// Attention of single queries over the rows of a cache. A slice is a few rows; a row's keys are
// walked once for all heads, so that each row of the cache is read from end to end, then each
// head's values with four vectors of sums in registers. Nothing depends on the other rows.

#include <algorithm>
#include <cmath>
#include <limits>

#include "yona/backend/cpu/scratch.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/cached_attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/log_sum-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

struct CachedRow {
  const CachedAttentionArgs& args;
  std::int64_t row;
  std::int64_t count;

  std::int64_t key(std::int64_t j) const {
    return args.table != nullptr ? std::int64_t{args.table[row * args.table_stride + j]}
                                 : args.first[row] + j;
  }
};

HWY_INLINE float dot(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, std::int64_t n) {
  const D d;
  V sum = hn::Zero(d);
  for_each_vector(d, n, [&](std::int64_t c, auto part) YONA_INLINE_LAMBDA {
    sum = hn::MulAdd(load(d, a + c, part), load(d, b + c, part), sum);
  });
  return sum_of_lanes(d, sum);
}

// The newest row of the cache is at distance 0, those before it at -1, -2, …
HWY_INLINE void add_bias(const CachedRow& at, float* scores) {
  const std::int64_t reach = at.args.bias.cols / 2;
  for (std::int64_t head = 0; head < at.args.heads; ++head) {
    const float* bias = at.args.bias.row<float>(head) + reach;
    for (std::int64_t j = 0; j < at.count; ++j) {
      scores[head * at.count + j] += bias[std::max(j + 1 - at.count, -reach)];
    }
  }
}

// scores[head · count + j] = scale · q·k_j (+ bias by distance)
HWY_INLINE void fill_scores(const CachedRow& at, float* scores) {
  const CachedAttentionArgs& args = at.args;
  const float* q = args.q.row<float>(at.row);
  for (std::int64_t j = 0; j < at.count; ++j) {
    const float* k = args.k.row<float>(at.key(j));
    for (std::int64_t head = 0; head < args.heads; ++head) {
      scores[head * at.count + j] =
          args.scale * dot(q + head * args.d_k, k + head * args.d_k, args.d_k);
    }
  }
  if (args.bias) {
    add_bias(at, scores);
  }
}

// `vectors` vectors of one head's output, from column c of the row on.
template <int kVectors>
HWY_INLINE void sum_whole(const CachedRow& at, const float* weights, float scale, std::int64_t c) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  V sums[kVectors];
  for (V& sum : sums) {
    sum = hn::Zero(d);
  }
  for (std::int64_t j = 0; j < at.count; ++j) {
    const float* v = at.args.v.row<float>(at.key(j)) + c;
    const V weight = hn::Set(d, weights[j]);
    for (int i = 0; i < kVectors; ++i) {
      sums[i] = hn::MulAdd(weight, hn::LoadU(d, v + i * lanes), sums[i]);
    }
  }
  for (int i = 0; i < kVectors; ++i) {
    hn::StoreU(hn::Mul(sums[i], hn::Set(d, scale)), d,
               at.args.out.row<float>(at.row) + c + i * lanes);
  }
}

HWY_INLINE void sum_part(const CachedRow& at, const float* weights, float scale, std::int64_t c,
                         Part part) {
  const D d;
  V sum = hn::Zero(d);
  for (std::int64_t j = 0; j < at.count; ++j) {
    const float* v = at.args.v.row<float>(at.key(j)) + c;
    sum = hn::MulAdd(hn::Set(d, weights[j]), load(d, v, part), sum);
  }
  store(d, hn::Mul(sum, hn::Set(d, scale)), at.args.out.row<float>(at.row) + c, part);
}

HWY_INLINE void sum_values(const CachedRow& at, const float* weights, float scale,
                           std::int64_t head) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  const std::int64_t end = (head + 1) * at.args.d_v;
  std::int64_t c = head * at.args.d_v;
  for (; c + 4 * lanes <= end; c += 4 * lanes) {
    sum_whole<4>(at, weights, scale, c);
  }
  for (; c + lanes <= end; c += lanes) {
    sum_whole<1>(at, weights, scale, c);
  }
  if (c < end) {
    sum_part(at, weights, scale, c, Part{static_cast<std::size_t>(end - c)});
  }
}

// `scores` has room for heads · counts[row] numbers.
void attend_cached(const CachedAttentionArgs& args, std::int64_t row, float* scores) {
  const CachedRow at{args, row, args.counts[row]};
  if (at.count == 0) {
    std::fill_n(args.out.row<float>(row), args.heads * args.d_v, 0.0F);
    return;
  }
  fill_scores(at, scores);
  for (std::int64_t head = 0; head < args.heads; ++head) {
    float* weights = scores + head * at.count;
    const float sum = exponentials(weights, at.count, largest_of(weights, at.count), weights);
    sum_values(at, weights, 1.0F / sum, head);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(attend_cached);

namespace {

void cached_attention(const CachedAttentionArgs& args, Exec& exec) {
  if (args.q.dtype != DType::f32 || args.vector || args.fresh) {
    reference_kernels().cached_attention.function()(args, exec);
    return;
  }
  const std::int64_t rows = args.q.rows;
  const std::int64_t longest = rows == 0 ? 0 : *std::max_element(args.counts, args.counts + rows);
  // Numbers of the cache that a slice reads: a few microseconds' worth, or waking threads is
  // dearer.
  constexpr std::int64_t kSlice = 65536;
  const std::int64_t row_size = std::max<std::int64_t>(1, longest * (args.k.cols + args.v.cols));
  exec.pool->run_ranges(rows, std::max<std::int64_t>(1, kSlice / row_size),
                        [&](std::int64_t begin, std::int64_t end) {
                          thread_local cpu::Scratch<float> scratch;
                          float* scores =
                              scratch.get(static_cast<std::size_t>(args.heads * longest + 1));
                          for (std::int64_t row = begin; row < end; ++row) {
                            HWY_DYNAMIC_DISPATCH(attend_cached)(args, row, scores);
                          }
                        });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.cached_attention = cached_attention; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
