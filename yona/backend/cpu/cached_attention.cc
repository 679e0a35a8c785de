// Attention of single queries over the rows of a cache. A slice is a few rows, or some heads of a
// row that sees many keys; its keys are walked once for all its heads, so that each row of the
// cache is read from end to end, then each head's values with four vectors of sums in registers.
// Nothing depends on the other rows, nor on how heads are divided among slices.

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
  std::int64_t count;  // keys that are seen, a fresh one included
  std::int64_t first_head, end_head;
  std::int64_t place = -1;  // of the fresh key, which is the last; -1: there is none
  std::int64_t shift = 0;   // columns that a head's values are further to the left than its output

  std::int64_t key(std::int64_t j) const {
    return place >= 0 && j + 1 == count ? place
           : args.table != nullptr      ? std::int64_t{args.table[row * args.table_stride + j]}
                                        : args.first[row] + j;
  }
  float* scores_of(std::int64_t head, float* scores) const {
    return scores + (head - first_head) * count;
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
  for (std::int64_t head = at.first_head; head < at.end_head; ++head) {
    const float* bias = at.args.bias.row<float>(head) + reach;
    float* of_head = at.scores_of(head, scores);
    for (std::int64_t j = 0; j < at.count; ++j) {
      of_head[j] += bias[std::max(j + 1 - at.count, -reach)];
    }
  }
}

// scores[(head - first_head) · count + j] = scale · q·k_j (+ bias by distance); -infinity where
// the pattern hides the key.
HWY_INLINE void fill_scores(const CachedRow& at, float* scores) {
  const CachedAttentionArgs& args = at.args;
  const float* q = args.q.row<float>(at.row);
  for (std::int64_t j = 0; j < at.count; ++j) {
    if (!args.pattern.sees(at.count - 1, j, at.count)) {
      for (std::int64_t head = at.first_head; head < at.end_head; ++head) {
        at.scores_of(head, scores)[j] = -std::numeric_limits<float>::infinity();
      }
      continue;
    }
    const float* k = args.k.row<float>(at.key(j));
    for (std::int64_t head = at.first_head; head < at.end_head; ++head) {
      at.scores_of(head, scores)[j] =
          args.scale * dot(q + head * args.d_k, k + args.kv_head(head) * args.d_k, args.d_k);
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
    const float* v = at.args.v.row<float>(at.key(j)) + c - at.shift;
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
    const float* v = at.args.v.row<float>(at.key(j)) + c - at.shift;
    sum = hn::MulAdd(hn::Set(d, weights[j]), load(d, v, part), sum);
  }
  store(d, hn::Mul(sum, hn::Set(d, scale)), at.args.out.row<float>(at.row) + c, part);
}

HWY_INLINE void sum_values(CachedRow at, const float* weights, float scale, std::int64_t head) {
  at.shift = (head - at.args.kv_head(head)) * at.args.d_v;
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

// Heads [first_head, end_head) of a row. `scores` has room for their numbers of keys.
void attend_cached(const CachedAttentionArgs& args, std::int64_t row, std::int64_t first_head,
                   std::int64_t end_head, float* scores) {
  CachedRow at{args, row, args.counts[row], first_head, end_head};
  if (args.fresh) {
    at.place = args.places[row];
    at.count = at.place >= 0 ? at.count + 1 : 0;
  }
  if (at.count == 0) {
    std::fill_n(args.out.row<float>(row) + first_head * args.d_v,
                (end_head - first_head) * args.d_v, 0.0F);
    return;
  }
  fill_scores(at, scores);
  for (std::int64_t head = first_head; head < end_head; ++head) {
    float* weights = at.scores_of(head, scores);
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

void put_fresh(const CachedAttentionArgs& args) {
  for (std::int64_t row = 0; row < args.q.rows; ++row) {
    if (const std::int64_t place = args.places[row]; place >= 0) {
      const float* from = args.fresh.row<float>(row);
      std::copy_n(from, args.k.cols, args.k.row<float>(place));
      std::copy_n(from + args.k.cols, args.v.cols, args.v.row<float>(place));
    }
  }
}

void cached_attention(const CachedAttentionArgs& args, Exec& exec) {
  if (args.q.dtype != DType::f32 || args.vector || args.features) {
    reference_kernels().cached_attention.function()(args, exec);
    return;
  }
  if (args.fresh) {
    put_fresh(args);
  }
  const std::int64_t rows = args.q.rows;
  const std::int64_t longest =
      rows == 0 ? 0 : *std::max_element(args.counts, args.counts + rows) + (args.fresh ? 1 : 0);
  // Numbers of the cache that a slice reads: a few microseconds' worth, or waking threads is
  // dearer.
  constexpr std::int64_t kSlice = 65536;
  const std::int64_t row_size = std::max<std::int64_t>(1, longest * (args.k.cols + args.v.cols));
  const std::int64_t parts = std::clamp<std::int64_t>(row_size / kSlice, 1, args.heads);
  const std::int64_t grain = std::max<std::int64_t>(1, kSlice / row_size);
  exec.pool->run_ranges(rows * parts, grain, [&](std::int64_t begin, std::int64_t end) {
    thread_local cpu::Scratch<float> scratch;
    float* scores = scratch.get(static_cast<std::size_t>(args.heads * longest + 1));
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t part = i % parts;
      HWY_DYNAMIC_DISPATCH(attend_cached)
      (args, i / parts, args.heads * part / parts, args.heads * (part + 1) / parts, scores);
    }
  });
}

const Registration registration(BackendKind::cpu,
                                [](Kernels& table) { table.cached_attention = cached_attention; });

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
