// Attention by locality-sensitive hashing (Kitaev et al. 2020). A row of a head is one piece of
// work: a query with the keys that it sees, or, for gradients of keys and values, a key with the
// queries that see it. So nothing is added to by two threads.

#include <algorithm>
#include <cmath>
#include <vector>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/cpu/targets.h"
#include "yona/backend/lsh_host.h"
#include "yona/backend/registration.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "yona/backend/cpu/lsh_attention.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "yona/backend/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace yona {
namespace HWY_NAMESPACE {
namespace {

using LshTag = hn::ScalableTag<float>;
using LshVector = hn::Vec<LshTag>;

HWY_INLINE float lsh_product(const float* a, const float* b, std::int64_t count) {
  const LshTag d;
  LshVector sum = hn::Zero(d);
  for_each_vector(d, count, [&](std::int64_t c, auto part) YONA_INLINE_LAMBDA {
    sum = hn::MulAdd(load(d, a + c, part), load(d, b + c, part), sum);
  });
  return sum_of_lanes(d, sum);
}

// y += factor · x
HWY_INLINE void lsh_add(float factor, const float* x, float* y, std::int64_t count) {
  const LshTag d;
  const LshVector factors = hn::Set(d, factor);
  for_each_vector(d, count, [&](std::int64_t c, auto part) YONA_INLINE_LAMBDA {
    store(d, hn::MulAdd(factors, load(d, x + c, part), load(d, y + c, part)), y + c, part);
  });
}

// The largest of xR and -xR, the first of equals.
void lsh_hash_row(const LshBucketsArgs& args, std::int64_t i) {
  const std::int64_t half = args.rotations.rows / args.buckets.cols;
  for (std::int64_t round = 0; round < args.buckets.cols; ++round) {
    float most = -1.0F;
    std::int64_t bucket = 0;
    for (std::int64_t r = 0; r < half; ++r) {
      const float turned = lsh_product(args.x.row<float>(i),
                                       args.rotations.row<float>(round * half + r), args.x.cols);
      const std::int64_t side = turned < 0.0F ? r + half : r;
      const float size = std::abs(turned);
      if (size > most || (size == most && side < bucket)) {
        most = size;
        bucket = side;
      }
    }
    args.buckets.row<float>(i)[round] = static_cast<float>(bucket);
  }
}

void lsh_attention_row(const LshAttentionArgs& args, std::int64_t row) {
  const std::vector<std::int64_t>& keys = lsh_keys(args, row);
  thread_local std::vector<float> scores;
  scores.clear();
  for (const std::int64_t key : keys) {
    scores.push_back(args.scale *
                     lsh_product(args.q.row<float>(row), args.k.row<float>(key), args.q.cols));
  }
  const float largest = *std::max_element(scores.begin(), scores.end());
  float sum = 0.0F;
  for (float& score : scores) {
    score = std::exp(score - largest);
    sum += score;
  }
  float* out = args.out.row<float>(row);
  std::fill_n(out, args.v.cols, 0.0F);
  for (std::size_t j = 0; j < keys.size(); ++j) {
    lsh_add(scores[j] / sum, args.v.row<float>(keys[j]), out, args.v.cols);
  }
  args.lse.row<float>(row)[0] = largest + std::log(sum);
}

// p of a pair, and the gradient of its score.
struct LshPair {
  float p, ds;
};

HWY_INLINE LshPair lsh_pair(const LshAttentionBackwardArgs& args, std::int64_t query,
                            std::int64_t key) {
  const LshAttentionArgs& in = args.forward;
  const float score =
      in.scale * lsh_product(in.q.row<float>(query), in.k.row<float>(key), in.q.cols);
  const float p = std::exp(score - in.lse.row<float>(query)[0]);
  const float dp = lsh_product(args.dout.row<float>(query), in.v.row<float>(key), in.v.cols);
  return {p, in.scale * p * (dp - args.products.row<float>(query)[0])};
}

// D and dq of a query.
void lsh_query_gradient_row(const LshAttentionBackwardArgs& args, std::int64_t row) {
  const LshAttentionArgs& in = args.forward;
  args.products.row<float>(row)[0] =
      lsh_product(args.dout.row<float>(row), in.out.row<float>(row), in.v.cols);
  float* dq = args.dq.row<float>(row);
  if (!args.accumulate_dq) {
    std::fill_n(dq, in.q.cols, 0.0F);
  }
  for (const std::int64_t key : lsh_keys(in, row)) {
    lsh_add(lsh_pair(args, row, key).ds, in.k.row<float>(key), dq, in.q.cols);
  }
}

// dk and dv of a key.
void lsh_key_gradient_row(const LshAttentionBackwardArgs& args, std::int64_t row) {
  const LshAttentionArgs& in = args.forward;
  float* dk = args.dk.row<float>(row);
  float* dv = args.dv.row<float>(row);
  if (!args.accumulate_dk) {
    std::fill_n(dk, in.q.cols, 0.0F);
  }
  if (!args.accumulate_dv) {
    std::fill_n(dv, in.v.cols, 0.0F);
  }
  for (const std::int64_t query : lsh_queries(in, row)) {
    const LshPair pair = lsh_pair(args, query, row);
    lsh_add(pair.ds, in.q.row<float>(query), dk, in.q.cols);
    lsh_add(pair.p, args.dout.row<float>(query), dv, in.v.cols);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace yona
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace yona {

HWY_EXPORT(lsh_hash_row);
HWY_EXPORT(lsh_attention_row);
HWY_EXPORT(lsh_query_gradient_row);
HWY_EXPORT(lsh_key_gradient_row);

namespace {

// Elements of work of a row, for slices: it visits the keys of each round.
std::int64_t lsh_work(const LshAttentionArgs& args) {
  return args.rounds * args.chunk * (args.q.cols + args.v.cols);
}

void lsh_buckets(const LshBucketsArgs& args, Exec& exec) {
  if (args.x.dtype != DType::f32) {
    reference_kernels().lsh_buckets.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.x.rows, args.rotations.rows * args.x.cols, [&](std::int64_t i) {
    HWY_DYNAMIC_DISPATCH(lsh_hash_row)(args, i);
  });
}

void lsh_order(const LshOrderArgs& args, Exec& exec) {
  if (args.buckets.dtype != DType::f32) {
    reference_kernels().lsh_order.function()(args, exec);
    return;
  }
  exec.pool->run(args.buckets.cols * args.heads, [&](std::int64_t part) {
    for (std::int64_t s = 0; s < args.sentences; ++s) {
      sort_lsh_sentence<float>(args, part / args.heads, part % args.heads, args.offsets[s],
                               args.offsets[s + 1]);
    }
  });
}

void lsh_attention(const LshAttentionArgs& args, Exec& exec) {
  if (args.q.dtype != DType::f32) {
    reference_kernels().lsh_attention.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, args.q.rows, lsh_work(args), [&](std::int64_t row) {
    HWY_DYNAMIC_DISPATCH(lsh_attention_row)(args, row);
  });
}

void lsh_attention_backward(const LshAttentionBackwardArgs& args, Exec& exec) {
  const LshAttentionArgs& in = args.forward;
  if (in.q.dtype != DType::f32) {
    reference_kernels().lsh_attention_backward.function()(args, exec);
    return;
  }
  cpu::for_each_row(exec, in.q.rows, lsh_work(in), [&](std::int64_t row) {
    HWY_DYNAMIC_DISPATCH(lsh_query_gradient_row)(args, row);
  });
  cpu::for_each_row(exec, in.k.rows, lsh_work(in), [&](std::int64_t row) {
    HWY_DYNAMIC_DISPATCH(lsh_key_gradient_row)(args, row);
  });
}

void lsh_table(const LshTableArgs& args, Exec& exec) {
  if (args.buckets.dtype != DType::f32) {
    reference_kernels().lsh_table.function()(args, exec);
    return;
  }
  exec.pool->run(args.rows * args.heads, [&](std::int64_t part) {
    LshTableRow<float>(args, part / args.heads, part % args.heads).write();
  });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.lsh_buckets = lsh_buckets;
  table.lsh_order = lsh_order;
  table.lsh_attention = lsh_attention;
  table.lsh_attention_backward = lsh_attention_backward;
  table.lsh_table = lsh_table;
});

}  // namespace
}  // namespace yona
#endif  // HWY_ONCE
