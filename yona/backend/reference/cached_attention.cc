// Attention of single queries over the rows of a cache, as plain loops.

#include <cmath>
#include <vector>

#include "yona/backend/reference/attention_row.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
double score(const CachedAttentionArgs& args, const T* q, const T* k, std::int64_t head) {
  double sum = 0;
  for (std::int64_t c = 0; c < args.d_k; ++c) {
    sum += args.vector ? double{args.vector.row<T>(head)[c]} * std::tanh(double{q[c]} + k[c])
                       : double{args.scale} * q[c] * k[c];
  }
  return sum;
}

template <class T>
void attend(const CachedAttentionArgs& args, std::int64_t row, std::int64_t head) {
  const auto key_row = [&](std::int64_t j) {
    return args.table != nullptr ? std::int64_t{args.table[row * args.table_stride + j]}
                                 : args.first[row] + j;
  };
  std::vector<double> weights(static_cast<std::size_t>(args.counts[row]));
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const std::int64_t key = key_row(static_cast<std::int64_t>(j));
    weights[j] = score(args, args.q.row<T>(row) + head * args.d_k,
                       args.k.row<T>(key) + head * args.d_k, head);
  }
  softmax_in_place(weights);
  for (std::int64_t c = 0; c < args.d_v; ++c) {
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const std::int64_t key = key_row(static_cast<std::int64_t>(j));
      sum += weights[j] * args.v.row<T>(key)[head * args.d_v + c];
    }
    args.out.row<T>(row)[head * args.d_v + c] = static_cast<T>(sum);
  }
}

void cached_attention(const CachedAttentionArgs& args, Exec& /*exec*/) {
  with_type(args.q.dtype, "cached_attention", [&](auto zero) {
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
