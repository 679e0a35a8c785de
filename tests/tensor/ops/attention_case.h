// A case of attention as an OpCase, and the same composed of products and softmax, sentence by
// sentence and head by head: the kernels' oracle.
#pragma once

#include <limits>
#include <vector>

#include "yona/tensor/ops/softmax.h"

#include "tests/harness/op_case.h"
#include "tests/harness/plain_ops.h"
#include "tests/tensor/ops/attention_variants.h"

namespace yona::testing {

inline AttentionOptions options_of(const AttentionVariant& variant, const Inputs& x, Context& c) {
  AttentionOptions options{.heads = variant.heads,
                           .d_k = variant.d_k,
                           .d_v = variant.d_v,
                           .scale = 0.6F,
                           .mask = variant.mask,
                           .prefix = {},
                           .bias = variant.reach >= 0 ? x[3] : Tensor(),
                           .dropout = c.dropout(variant.dropout, 2U << 12U),
                           .pattern = variant.pattern};
  if (variant.mask == Mask::prefix) {
    options.prefix = c.empty(DType::i64, {static_cast<std::int64_t>(variant.prefix.size())});
    options.prefix.upload(variant.prefix);
  }
  return options;
}

// The part of one sentence and head, for every sentence and head.
template <class Function>
void for_each_part(const AttentionVariant& variant, const Function& function) {
  std::int64_t q = 0;
  std::int64_t k = 0;
  for (std::size_t s = 0; s < variant.queries.size(); ++s) {
    for (std::int64_t head = 0; head < variant.heads; ++head) {
      function(s, head, q, k);
    }
    q += variant.queries[s];
    k += variant.keys[s];
  }
}

inline OpCase fused_attention(const AttentionVariant& variant) {
  const std::int64_t h = variant.heads;
  OpCase made{
      variant.name,
      {{{variant.T_q(), h * variant.d_k}},
       {{variant.T_k(), h * variant.d_k}},
       {{variant.T_k(), h * variant.d_v}}},
      [variant](const Inputs& x, Context& c) {
        const Tensor out =
            attention(x[0], x[1], x[2], layout_of(variant.queries, c.region),
                      layout_of(variant.keys, c.region), options_of(variant, x, c), c);
        Inputs parts;
        for_each_part(
            variant, [&](std::size_t s, std::int64_t head, std::int64_t q, std::int64_t /*k*/) {
              parts.push_back(
                  out.row_range(q, variant.queries[s]).columns(head * variant.d_v, variant.d_v));
            });
        return parts;
      }};
  if (variant.reach >= 0) {
    made.inputs.push_back({{h, 2 * variant.reach + 1}});
  }
  return made;
}

// Who sees whom, said again and otherwise than in the kernels.
inline bool pattern_sees(const AttentionPattern& pattern, std::int64_t i, std::int64_t j,
                         std::int64_t keys) {
  if (pattern.before >= 0) {
    for (std::int64_t step = -pattern.before; step <= pattern.after; ++step) {
      if (i + step * pattern.dilation == j) {
        return true;
      }
    }
    return false;
  }
  return pattern.block == 0 || pattern.lists(i / pattern.block, j / pattern.block,
                                             (keys + pattern.block - 1) / pattern.block);
}

inline bool sees(const AttentionVariant& variant, std::size_t s, std::int64_t i, std::int64_t j) {
  if (!pattern_sees(variant.pattern, i + variant.keys[s] - variant.queries[s], j,
                    variant.keys[s])) {
    return false;
  }
  switch (variant.mask) {
    case Mask::none:
      return true;
    case Mask::causal:
      return j - variant.keys[s] <= i - variant.queries[s];
    case Mask::prefix:
      return j < variant.prefix[s] || j - variant.keys[s] <= i - variant.queries[s];
  }
  return false;
}

struct Part {  // one sentence and head: the sizes of its score matrix
  std::size_t s;
  std::int64_t head, n, m;
};

inline Tensor masked(const AttentionVariant& variant, const Part& part, const Tensor& scores,
                     Context& c) {
  std::vector<double> hidden;
  for (std::int64_t i = 0; i < part.n; ++i) {
    for (std::int64_t j = 0; j < part.m; ++j) {
      hidden.push_back(sees(variant, part.s, i, j) ? 0.0
                                                   : -std::numeric_limits<double>::infinity());
    }
  }
  return add(scores, tensor_of(hidden, {part.n, part.m}, scores.dtype(), c.region), c);
}

inline std::vector<double> kept_weights(const AttentionVariant& variant, const Part& part,
                                        const Layout& queries, std::int64_t first_query,
                                        Context& c) {
  const Dropout dropout = c.dropout(variant.dropout, 2U << 12U);
  std::vector<double> factors;
  for (std::int64_t i = 0; i < part.n; ++i) {
    for (std::int64_t j = 0; j < part.m; ++j) {
      const std::uint64_t key = queries.row_keys_data()[first_query + i];
      const bool kept = !dropout || keeps_weight(dropout, key, j, part.head);
      factors.push_back(kept ? double{dropout.scale} : 0.0);
    }
  }
  return factors;
}

// softmax(scores) v of one part, the scores made by `score(q, k, head)`.
template <class Score>
OpCase composed(OpCase like, const AttentionVariant& variant, const Score& score) {
  like.op = [variant, score](const Inputs& x, Context& c) {
    const auto queries = layout_of(variant.queries, c.region);
    Inputs parts;
    for_each_part(variant, [&](std::size_t s, std::int64_t head, std::int64_t q, std::int64_t k) {
      const Part part{s, head, variant.queries[s], variant.keys[s]};
      const auto of_head = [head](const Tensor& tensor, std::int64_t first, std::int64_t rows,
                                  std::int64_t d) {
        return tensor.row_range(first, rows).columns(head * d, d);
      };
      const Tensor Q = of_head(x[0], q, part.n, variant.d_k);
      const Tensor K = of_head(x[1], k, part.m, variant.d_k);
      const Tensor V = of_head(x[2], k, part.m, variant.d_v);
      const Tensor scores = masked(variant, part, score(part, Q, K, x, c), c);  // [n, m]
      const Tensor p = multiply(softmax(scores, c), kept_weights(variant, part, *queries, q, c), c);
      parts.push_back(matmul(p, V, Transpose::no, c));  // [n, d_v]
    });
    return parts;
  };
  return like;
}

}  // namespace yona::testing
