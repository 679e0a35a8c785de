// Attention of single queries over the rows of a cache. A slice is a few rows, or some heads of a
// row that sees many keys; its keys are walked once for all its heads, so that each row of the
// cache is read from end to end, then the values, with eight vectors of sums in registers.
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
  std::int64_t count;  // keys from `begin` on, a fresh one included
  std::int64_t first_head, end_head;
  std::int64_t place = -1;  // of the fresh key, which is the last; -1: there is none
  std::int64_t begin = 0;   // keys before the window

  std::int64_t key(std::int64_t j) const {
    return place >= 0 && j + 1 == count ? place
           : args.table != nullptr ? std::int64_t{args.table[row * args.table_stride + begin + j]}
                                   : args.first[row] + begin + j;
  }
  bool sees(std::int64_t j) const {
    return args.pattern.sees(begin + count - 1, begin + j, begin + count);
  }
  void begin_at_window() {
    if (args.pattern.has_window()) {
      begin = std::max<std::int64_t>(0, count - 1 - args.pattern.before * args.pattern.dilation);
      count -= begin;
    }
  }
  bool sees_all() const {
    return !args.pattern || (args.pattern.has_window() && args.pattern.dilation == 1);
  }
  // In `scores`: a number for each key of each head; then, once the exponentials are there, 1
  // divided by the sum of each head's.
  template <class Float>
  Float* scores_of(std::int64_t head, Float* scores) const {
    return scores + (head - first_head) * count;
  }
  template <class Float>
  Float& inverse_sum_of(std::int64_t head, Float* scores) const {
    return scores_of(end_head, scores)[head - first_head];
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

// A head's scores of one key, and of four keys, each the same sum.
HWY_INLINE void score_one(const CachedRow& at, std::int64_t j, float* scores) {
  const CachedAttentionArgs& args = at.args;
  const float* q = args.q.row<float>(at.row);
  const float* k = args.k.row<float>(at.key(j));
  for (std::int64_t head = at.first_head; head < at.end_head; ++head) {
    at.scores_of(head, scores)[j] =
        args.scale * dot(q + head * args.d_k, k + args.kv_head(head) * args.d_k, args.d_k);
  }
}

HWY_INLINE void score_four(const CachedRow& at, std::int64_t j, float* scores) {
  const CachedAttentionArgs& args = at.args;
  const float* k[4];
  for (std::int64_t i = 0; i < 4; ++i) {
    k[i] = args.k.row<float>(at.key(j + i));
  }
  for (std::int64_t head = at.first_head; head < at.end_head; ++head) {
    const float* q = args.q.row<float>(at.row) + head * args.d_k;
    const std::int64_t column = args.kv_head(head) * args.d_k;
    const D d;
    V sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
    for_each_vector(d, args.d_k, [&](std::int64_t c, auto part) YONA_INLINE_LAMBDA {
      const V of_q = load(d, q + c, part);
      for (int i = 0; i < 4; ++i) {
        sums[i] = hn::MulAdd(of_q, load(d, k[i] + column + c, part), sums[i]);
      }
    });
    const hn::Full128<float> four;
    hn::StoreU(hn::Mul(hn::Set(four, args.scale), sums_of_four(d, sums)), four,
               at.scores_of(head, scores) + j);
  }
}

// scores[(head - first_head) · count + j] = scale · q·k_j (+ bias by distance); -infinity where
// the pattern hides the key.
HWY_INLINE void fill_scores(const CachedRow& at, float* scores) {
  const CachedAttentionArgs& args = at.args;
  std::int64_t j = 0;
  for (; at.sees_all() && j + 4 <= at.count; j += 4) {
    score_four(at, j, scores);
  }
  for (; j < at.count; ++j) {
    if (at.sees(j)) {
      score_one(at, j, scores);
      continue;
    }
    for (std::int64_t head = at.first_head; head < at.end_head; ++head) {
      at.scores_of(head, scores)[j] = -std::numeric_limits<float>::infinity();
    }
  }
  if (args.bias) {
    add_bias(at, scores);
  }
}

// `kHeads` heads from `head` on, `kVectors` vectors of each from column c of the head on, in
// registers. More than one head: each has values of its own.
template <int kHeads, int kVectors>
HWY_INLINE void sum_whole(const CachedRow& at, const float* scores, std::int64_t head,
                          std::int64_t c) {
  const D d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  V sums[kHeads * kVectors];
  for (V& sum : sums) {
    sum = hn::Zero(d);
  }
  const float* weights = at.scores_of(head, scores);
  const std::int64_t column = at.args.kv_head(head) * at.args.d_v + c;
  for (std::int64_t j = 0; j < at.count; ++j) {
    const float* v = at.args.v.row<float>(at.key(j)) + column;
    for (int h = 0; h < kHeads; ++h) {
      const V weight = hn::Set(d, weights[h * at.count + j]);
      for (int i = 0; i < kVectors; ++i) {
        V& sum = sums[h * kVectors + i];
        sum = hn::MulAdd(weight, hn::LoadU(d, v + (h * kVectors + i) * lanes), sum);
      }
    }
  }
  float* out = at.args.out.row<float>(at.row) + head * at.args.d_v + c;
  for (int h = 0; h < kHeads; ++h) {
    const V scale = hn::Set(d, at.inverse_sum_of(head + h, scores));
    for (int i = 0; i < kVectors; ++i) {
      const int place = h * kVectors + i;
      hn::StoreU(hn::Mul(sums[place], scale), d, out + place * lanes);
    }
  }
}

HWY_INLINE void sum_part(const CachedRow& at, const float* scores, std::int64_t head,
                         std::int64_t c, Part part) {
  const D d;
  V sum = hn::Zero(d);
  const float* weights = at.scores_of(head, scores);
  for (std::int64_t j = 0; j < at.count; ++j) {
    const float* v = at.args.v.row<float>(at.key(j)) + at.args.kv_head(head) * at.args.d_v + c;
    sum = hn::MulAdd(hn::Set(d, weights[j]), load(d, v, part), sum);
  }
  store(d, hn::Mul(sum, hn::Set(d, at.inverse_sum_of(head, scores))),
        at.args.out.row<float>(at.row) + head * at.args.d_v + c, part);
}

// Values of the heads from `head` on whose sums fit into eight vectors; returns how many.
HWY_INLINE std::int64_t sum_values(const CachedRow& at, const float* scores, std::int64_t head) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(D()));
  const std::int64_t d_v = at.args.d_v;
  const std::int64_t alike = at.args.heads_per_kv == 1 ? at.end_head - head : 1;
  if (d_v == 2 * lanes && alike >= 4) {
    sum_whole<4, 2>(at, scores, head, 0);
    return 4;
  }
  if (d_v == 4 * lanes && alike >= 2) {
    sum_whole<2, 4>(at, scores, head, 0);
    return 2;
  }
  std::int64_t c = 0;
  for (; c + 8 * lanes <= d_v; c += 8 * lanes) {
    sum_whole<1, 8>(at, scores, head, c);
  }
  for (; c + 4 * lanes <= d_v; c += 4 * lanes) {
    sum_whole<1, 4>(at, scores, head, c);
  }
  for (; c + lanes <= d_v; c += lanes) {
    sum_whole<1, 1>(at, scores, head, c);
  }
  if (c < d_v) {
    sum_part(at, scores, head, c, Part{static_cast<std::size_t>(d_v - c)});
  }
  return 1;
}

// Heads [first_head, end_head) of a row. `scores` has room for a number for each key of each head,
// and one more for each head.
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
  at.begin_at_window();
  fill_scores(at, scores);
  for (std::int64_t head = first_head; head < end_head; ++head) {
    float* weights = at.scores_of(head, scores);
    at.inverse_sum_of(head, scores) =
        1.0F / exponentials(weights, at.count, largest_of(weights, at.count), weights);
  }
  for (std::int64_t head = first_head; head < end_head;) {
    head += sum_values(at, scores, head);
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
  // Numbers of the cache that a slice reads. They take a few microseconds; for fewer, waking
  // threads would cost more.
  constexpr std::int64_t kSlice = 65536;
  const std::int64_t row_size = std::max<std::int64_t>(1, longest * (args.k.cols + args.v.cols));
  const std::int64_t parts = std::clamp<std::int64_t>(row_size / kSlice, 1, args.heads);
  const std::int64_t grain = std::max<std::int64_t>(1, kSlice / row_size);
  exec.pool->run_ranges(rows * parts, grain, [&](std::int64_t begin, std::int64_t end) {
    thread_local cpu::Scratch<float> scratch;
    float* scores = scratch.get(static_cast<std::size_t>(args.heads * (longest + 1)));
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
