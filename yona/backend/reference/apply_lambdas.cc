// Lambda layers (lambda_args.h), as plain loops. Sums run in double.

#include <algorithm>
#include <vector>

#include "yona/backend/reference/attention_row.h"
#include "yona/backend/reference/dispatch.h"
#include "yona/backend/registration.h"

namespace yona::reference {

namespace {

// A query of one head, and what it meets.
struct LambdaQuery {
  std::int64_t sentence, token, head, kv_head;
  std::int64_t first, last;  // tokens within reach
};

template <class Function>
void for_each_lambda_query(const LambdaArgs& args, const Function& function) {
  for (std::int64_t s = 0; s < args.sentences; ++s) {
    for (std::int64_t i = args.offsets[s]; i < args.offsets[s + 1]; ++i) {
      for (std::int64_t head = 0; head < args.heads; ++head) {
        function(LambdaQuery{s, i, head, head / args.heads_per_kv,
                             std::max(args.offsets[s], i - args.reach()),
                             std::min(args.offsets[s + 1] - 1, i + args.reach())});
      }
    }
  }
}

template <class T>
double dot_of(const T* a, const T* b, std::int64_t count) {
  double sum = 0;
  for (std::int64_t c = 0; c < count; ++c) {
    sum += double{a[c]} * b[c];
  }
  return sum;
}

template <class T>
void forward_lambdas(const LambdaArgs& args) {
  for_each_lambda_query(args, [&](const LambdaQuery& at) {
    const T* q = args.q.row<T>(at.token) + at.head * args.d_k;
    std::vector<double> y(static_cast<std::size_t>(args.d_v), 0.0);
    const auto add = [&](double factor, const T* row) {
      for (std::size_t c = 0; c < y.size(); ++c) {
        y[c] += factor * row[at.kv_head * args.d_v + static_cast<std::int64_t>(c)];
      }
    };
    for (std::int64_t k = 0; k < args.d_k; ++k) {
      add(q[k], args.lambdas.row<T>(at.sentence * args.d_k + k));
    }
    for (std::int64_t j = at.first; j <= at.last; ++j) {
      add(dot_of(q, args.positions.row<T>(j - at.token + args.reach()), args.d_k),
          args.v.row<T>(j));
    }
    std::copy(y.begin(), y.end(), args.y.row<T>(at.token) + at.head * args.d_v);
  });
}

// With u = q·e_δ:  dΛ += q dyᵀ;  dq += Λ dy;  du = dy·v;  dv += u dy;  dq += du e_δ;  de_δ += du q
template <class T>
void backward_lambdas(const LambdaBackwardArgs& args) {
  const LambdaArgs& in = args.forward;
  clear_unless<T>(args.accumulate_dq, args.dq);
  clear_unless<T>(args.accumulate_dv, args.dv);
  clear_unless<T>(args.accumulate_dlambdas, args.dlambdas);
  for_each_lambda_query(in, [&](const LambdaQuery& at) {
    const T* q = in.q.row<T>(at.token) + at.head * in.d_k;
    T* dq = args.dq.row<T>(at.token) + at.head * in.d_k;
    const T* dy = args.dy.row<T>(at.token) + at.head * in.d_v;
    for (std::int64_t k = 0; k < in.d_k; ++k) {
      const std::int64_t row = at.sentence * in.d_k + k;
      dq[k] += static_cast<T>(dot_of(in.lambdas.row<T>(row) + at.kv_head * in.d_v, dy, in.d_v));
      for (std::int64_t c = 0; c < in.d_v; ++c) {
        args.dlambdas.row<T>(row)[at.kv_head * in.d_v + c] += q[k] * dy[c];
      }
    }
    for (std::int64_t j = at.first; j <= at.last; ++j) {
      const std::int64_t place = j - at.token + in.reach();
      const T* e = in.positions.row<T>(place);
      const double u = dot_of(q, e, in.d_k);
      const double du = dot_of(dy, in.v.row<T>(j) + at.kv_head * in.d_v, in.d_v);
      for (std::int64_t c = 0; c < in.d_v; ++c) {
        args.dv.row<T>(j)[at.kv_head * in.d_v + c] += static_cast<T>(u * dy[c]);
      }
      for (std::int64_t k = 0; k < in.d_k; ++k) {
        dq[k] += static_cast<T>(du * e[k]);
        args.dpositions.row<T>(place)[k] += static_cast<T>(du * q[k]);
      }
    }
  });
}

void apply_lambdas(const LambdaArgs& args, Exec& /*exec*/) {
  with_type(args.q.dtype, "apply_lambdas", [&](auto t) { forward_lambdas<decltype(t)>(args); });
}

void apply_lambdas_backward(const LambdaBackwardArgs& args, Exec& /*exec*/) {
  with_type(args.forward.q.dtype, "apply_lambdas_backward",
            [&](auto t) { backward_lambdas<decltype(t)>(args); });
}

const Registration registration(BackendKind::reference, [](Kernels& table) {
  table.apply_lambdas = apply_lambdas;
  table.apply_lambdas_backward = apply_lambdas_backward;
});

}  // namespace

}  // namespace yona::reference
