// Attention by locality-sensitive hashing (Kitaev et al. 2020), as plain loops: hashing, sorting,
// attention with its gradients, and what a step of decoding sees.

#include <vector>

#include "yona/backend/lsh_host.h"
#include "yona/backend/reference/attention_row.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

template <class T>
double product_of(const T* a, const T* b, std::int64_t count) {
  double sum = 0;
  for (std::int64_t c = 0; c < count; ++c) {
    sum += double{a[c]} * double{b[c]};
  }
  return sum;
}

// The largest of xR and -xR, the first of equals.
template <class T>
void hash_row(const LshBucketsArgs& args, std::int64_t i) {
  const std::int64_t half = args.rotations.rows / args.buckets.cols;
  for (std::int64_t round = 0; round < args.buckets.cols; ++round) {
    double most = -1;
    std::int64_t bucket = 0;
    for (const int side : {1, -1}) {
      for (std::int64_t r = 0; r < half; ++r) {
        const double turned =
            side *
            product_of(args.x.row<T>(i), args.rotations.row<T>(round * half + r), args.x.cols);
        if (turned > most) {
          most = turned;
          bucket = r + (side > 0 ? 0 : half);
        }
      }
    }
    args.buckets.row<T>(i)[round] = static_cast<T>(bucket);
  }
}

void lsh_buckets(const LshBucketsArgs& args, Exec& /*exec*/) {
  with_type(args.x.dtype, "lsh_buckets", [&](auto zero) {
    for (std::int64_t i = 0; i < args.x.rows; ++i) {
      hash_row<decltype(zero)>(args, i);
    }
  });
}

void lsh_order(const LshOrderArgs& args, Exec& /*exec*/) {
  with_type(args.buckets.dtype, "lsh_order", [&](auto zero) {
    for (std::int64_t round = 0; round < args.buckets.cols; ++round) {
      for (std::int64_t head = 0; head < args.heads; ++head) {
        for (std::int64_t s = 0; s < args.sentences; ++s) {
          sort_lsh_sentence<decltype(zero)>(args, round, head, args.offsets[s],
                                            args.offsets[s + 1]);
        }
      }
    }
  });
}

// The scores of the keys that a row's query sees.
template <class T>
std::vector<double> lsh_scores(const LshAttentionArgs& args, std::int64_t row,
                               const std::vector<std::int64_t>& keys) {
  std::vector<double> scores;
  scores.reserve(keys.size());
  for (const std::int64_t key : keys) {
    scores.push_back(double{args.scale} *
                     product_of(args.q.row<T>(row), args.k.row<T>(key), args.q.cols));
  }
  return scores;
}

void lsh_attention(const LshAttentionArgs& args, Exec& /*exec*/) {
  with_type(args.q.dtype, "lsh_attention", [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t row = 0; row < args.q.rows; ++row) {
      const std::vector<std::int64_t>& keys = lsh_keys(args, row);
      std::vector<double> weights = lsh_scores<T>(args, row, keys);
      args.lse.row<T>(row)[0] = static_cast<T>(softmax_in_place(weights));
      for (std::int64_t c = 0; c < args.v.cols; ++c) {
        double sum = 0;
        for (std::size_t j = 0; j < keys.size(); ++j) {
          sum += weights[j] * double{args.v.row<T>(keys[j])[c]};
        }
        args.out.row<T>(row)[c] = static_cast<T>(sum);
      }
    }
  });
}

template <class T>
void add_scaled(double factor, const T* x, T* y, std::int64_t count) {
  for (std::int64_t c = 0; c < count; ++c) {
    y[c] += static_cast<T>(factor * double{x[c]});
  }
}

void lsh_attention_backward(const LshAttentionBackwardArgs& args, Exec& /*exec*/) {
  const LshAttentionArgs& in = args.forward;
  with_type(in.q.dtype, "lsh_attention_backward", [&](auto zero) {
    using T = decltype(zero);
    clear_unless<T>(args.accumulate_dq, args.dq);
    clear_unless<T>(args.accumulate_dk, args.dk);
    clear_unless<T>(args.accumulate_dv, args.dv);
    for (std::int64_t row = 0; row < in.q.rows; ++row) {
      const std::vector<std::int64_t>& keys = lsh_keys(in, row);
      std::vector<double> weights = lsh_scores<T>(in, row, keys);
      softmax_in_place(weights);
      const T* dout = args.dout.row<T>(row);
      const double mean = product_of(dout, in.out.row<T>(row), in.v.cols);
      for (std::size_t j = 0; j < keys.size(); ++j) {
        const std::int64_t key = keys[j];
        const double dp = product_of(dout, in.v.row<T>(key), in.v.cols);
        const double ds = double{in.scale} * weights[j] * (dp - mean);
        add_scaled(ds, in.k.row<T>(key), args.dq.row<T>(row), in.q.cols);
        add_scaled(ds, in.q.row<T>(row), args.dk.row<T>(key), in.q.cols);
        add_scaled(weights[j], dout, args.dv.row<T>(key), in.v.cols);
      }
    }
  });
}

void lsh_table(const LshTableArgs& args, Exec& /*exec*/) {
  with_type(args.buckets.dtype, "lsh_table", [&](auto zero) {
    for (std::int64_t row = 0; row < args.rows; ++row) {
      for (std::int64_t head = 0; head < args.heads; ++head) {
        LshTableRow<decltype(zero)>(args, row, head).write();
      }
    }
  });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.lsh_buckets = lsh_buckets;
  table.lsh_order = lsh_order;
  table.lsh_attention = lsh_attention;
  table.lsh_attention_backward = lsh_attention_backward;
  table.lsh_table = lsh_table;
});

}  // namespace
}  // namespace yona::reference
