// Attention of single queries over the rows of a cache, as plain loops.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "yona/backend/reference/attention_row.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/reference/performer_score.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
double score(const CachedAttentionArgs& args, const T* q, const T* k, std::int64_t head) {
  if (args.features) {
    std::vector<double> shares;
    return performer_score(args.features, std::sqrt(double{args.scale}), q, k, shares);
  }
  double sum = 0;
  for (std::int64_t c = 0; c < args.d_k; ++c) {
    sum += args.vector ? double{args.vector.row<T>(head)[c]} * std::tanh(double{q[c]} + k[c])
                       : double{args.scale} * q[c] * k[c];
  }
  return sum;
}

template <class T>
void attend(const CachedAttentionArgs& args, std::int64_t row, std::int64_t head) {
  const std::int64_t count = args.counts[row];
  const auto key_row = [&](std::int64_t j) {
    return j == count              ? std::int64_t{args.places[row]}
           : args.table != nullptr ? std::int64_t{args.table[row * args.table_stride + j]}
                                   : args.first[row] + j;
  };
  const bool has_place = args.fresh && args.places[row] >= 0;
  const std::int64_t seen = args.fresh ? (has_place ? count + 1 : 0) : count;
  std::vector<double> weights(static_cast<std::size_t>(seen));
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (!args.pattern.sees(seen - 1, static_cast<std::int64_t>(j), seen)) {
      weights[j] = -std::numeric_limits<double>::infinity();
      continue;
    }
    const std::int64_t key = key_row(static_cast<std::int64_t>(j));
    weights[j] = score(args, args.q.row<T>(row) + head * args.d_k,
                       args.k.row<T>(key) + args.kv_head(head) * args.d_k, head);
    if (args.bias) {
      const std::int64_t distance = static_cast<std::int64_t>(j) + 1 - seen;
      const std::int64_t reach = args.bias.cols / 2;
      weights[j] += double{args.bias.row<T>(head)[std::max(distance, -reach) + reach]};
    }
  }
  softmax_in_place(weights);
  for (std::int64_t c = 0; c < args.d_v; ++c) {
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const std::int64_t key = key_row(static_cast<std::int64_t>(j));
      sum += weights[j] * args.v.row<T>(key)[args.kv_head(head) * args.d_v + c];
    }
    args.out.row<T>(row)[head * args.d_v + c] = static_cast<T>(sum);
  }
}

template <class T>
void put_fresh(const CachedAttentionArgs& args) {
  const std::int64_t keys = args.heads / args.heads_per_kv * args.d_k;
  for (std::int64_t row = 0; args.fresh && row < args.q.rows; ++row) {
    if (const std::int64_t place = args.places[row]; place >= 0) {
      const T* from = args.fresh.row<T>(row);
      std::copy_n(from, keys, args.k.row<T>(place));
      std::copy_n(from + keys, args.heads / args.heads_per_kv * args.d_v, args.v.row<T>(place));
    }
  }
}

void cached_attention(const CachedAttentionArgs& args, Exec& /*exec*/) {
  with_type(args.q.dtype, "cached_attention", [&](auto zero) {
    put_fresh<decltype(zero)>(args);
    for (std::int64_t row = 0; row < args.q.rows; ++row) {
      for (std::int64_t head = 0; head < args.heads; ++head) {
        attend<decltype(zero)>(args, row, head);
      }
    }
  });
}

const Registration registration(BackendKind::reference,
                                [](Kernels& table) { table.cached_attention = cached_attention; });

}  // namespace
}  // namespace yona::reference
