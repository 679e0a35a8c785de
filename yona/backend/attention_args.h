// What kernels are given: attention: training, incremental decoding, and looking inside.
// Conventions are in kernel_args.h.
#pragma once

#include <cstdint>

#include "yona/backend/attention_pattern.h"
#include "yona/backend/dropout.h"
#include "yona/backend/length_classes.h"
#include "yona/backend/view.h"

namespace yona {

// y[h, r] = table[buckets[r], h]: what a head adds to its scores at each distance, from a table by
// buckets of distances. The gradient is added: dtable[buckets[r], h] += dy[h, r], in order of r.
struct BucketBiasArgs {
  const std::int32_t* buckets = nullptr;  // [y.cols]
  View table{};                           // [buckets, heads]; backward: its gradient
  View y{};                               // [heads, distances]; backward: its gradient
};

enum class Mask : std::uint8_t { none, causal, prefix };

// For every sentence s and head: out = dropout(softmax(scale · q kᵀ + bias, masked)) v.
// Sentence s has queries [q_offsets[s], q_offsets[s+1]) and keys likewise; nothing else is seen.
// Causal: key j is seen by query i when j ≤ i + (keys - queries). Prefix: also when j < prefix[s].
// A query that sees no key gives zero and a log-sum of -infinity.
// bias [heads, 2R+1] is added by distance j - i' clipped to [-R, R], i' = i + (keys - queries).
// Grouped-query attention (Ainslie et al. 2023): k and v have fewer heads, h' = heads /
// heads_per_kv, and query head n reads head n / heads_per_kv of theirs.
struct AttentionArgs {
  View q{}, k{}, v{};  // [T_q, h·d_k], [T_k, h'·d_k], [T_k, h'·d_v]
  View out{};          // [T_q, h·d_v]
  View lse{};          // [T_q, h]: log of the softmax's denominator, in the input's type
  const std::int64_t* q_offsets = nullptr;
  const std::int64_t* k_offsets = nullptr;
  std::int64_t sentences = 0;
  std::int64_t longest_q = 0;
  std::int64_t longest_k = 0;
  LengthClasses lengths_q = kAnyLengths;  // of the sentences, if they were counted
  LengthClasses lengths_k = kAnyLengths;
  std::int64_t heads = 1;
  std::int64_t heads_per_kv = 1;
  std::int64_t d_k = 0;
  std::int64_t d_v = 0;
  float scale = 1.0F;
  Mask mask = Mask::none;
  const std::int64_t* prefix = nullptr;  // [sentences], with Mask::prefix
  AttentionPattern pattern{};            // optional: sees fewer keys; not with additive scores
  View bias{};                           // optional
  const std::uint64_t* q_keys = nullptr;
  Dropout dropout{};
  // Backend::keep_mask_bytes(), optional: dropout's decisions, which forward leaves here
  // so that backward need not make them again.
  std::uint32_t* keep_mask = nullptr;

  std::int64_t kv_head(std::int64_t head) const { return head / heads_per_kv; }
};

struct AttentionBackwardArgs {
  AttentionArgs forward{};  // with out, lse and decisions as the forward pass left them
  View dout{};
  View dq{}, dk{}, dv{};
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  View dbias{};  // optional, added to
  // The sums over the rows of dq and dv, added to, where Kernel::gradient_sums says so: each
  // optional, and there only when its gradient is written, not added to. Those of dk are zero: what
  // is added to all keys adds the same to all scores of a query.
  View dq_sums{}, dv_sums{};
};

// The same with scores eᵢⱼ = Σ_c vector[head, c] · tanh(q[i, head, c] + k[j, head, c])
// (Bahdanau et al. 2015); `attention.scale` and `attention.bias` are unused.
struct AdditiveAttentionArgs {
  AttentionArgs attention{};
  View vector{};  // [heads, d_k]
};

struct AdditiveAttentionBackwardArgs {
  AttentionBackwardArgs attention{};
  View vector{}, dvector{};  // dvector is added to
};

// Incremental decoding: one query in each row of q, over rows of k and v that a cache has
// collected. Row r sees counts[r] of them: table[r · table_stride + j] for j = 0, 1, …, or, without
// a table, first[r] + j. out = softmax(scores) v per head, where scores are scale · q·k, or those
// of additive attention when there is a vector. A row that sees nothing gives zero.
// With `fresh`, the keys and values of this step, row r of it is first put at places[r] of the
// cache, and seen last; a row with a place of -1 has none, and sees nothing.
// bias [heads, 2R+1] is added to the scores by the distance from the last that is seen, clipped to
// [-R, R].
// heads_per_kv as in AttentionArgs.
struct CachedAttentionArgs {
  View q{}, k{}, v{};  // [rows, h·d_k], [N, h'·d_k], [N, h'·d_v]
  View out{};          // [rows, h·d_v]
  const std::int32_t* table = nullptr;
  std::int64_t table_stride = 0;
  const std::int64_t* first = nullptr;
  const std::int32_t* counts = nullptr;
  std::int64_t heads = 1;
  std::int64_t heads_per_kv = 1;
  std::int64_t d_k = 0;
  std::int64_t d_v = 0;
  float scale = 1.0F;
  View vector{};                         // [heads, d_k], optional
  View features{};                       // [m, d_k], optional: scores of PerformerAttentionArgs
  View fresh{};                          // [rows, h'·d_k + h'·d_v], optional, with
  const std::int32_t* places = nullptr;  // [rows]
  View bias{};                           // optional
  AttentionPattern pattern{};            // optional: of a query at the position of the last key

  std::int64_t kv_head(std::int64_t head) const { return head / heads_per_kv; }
};

// The weights themselves, before dropout, for looking inside: what out is the product of with v.
// Sentences one after another, each [heads, queries, keys]; zero where a query does not see a key.
struct AttentionWeightsArgs {
  AttentionArgs attention{};  // v, out, lse and dropout are unused
  View weights{};             // [1, Σ heads · queries · keys of the sentences]
};

struct AdditiveAttentionWeightsArgs {
  AttentionWeightsArgs attention{};
  View vector{};  // [heads, d_k]
};

}  // namespace yona
