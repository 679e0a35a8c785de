// Lambda layers (lambda_args.h) on the CPU: plain loops over the channels of a head, which
// compilers vectorise. A thread takes a slice of queries; backward, a sentence and a head of
// values, and then a relative position.

#include <algorithm>

#include "yona/backend/cpu/slices.h"
#include "yona/backend/registration.h"

namespace yona {

namespace {

float lambda_dot(const float* a, const float* b, std::int64_t count) {
  float sum = 0;
  for (std::int64_t c = 0; c < count; ++c) {
    sum += a[c] * b[c];
  }
  return sum;
}

void add_scaled(float factor, const float* from, std::int64_t count, float* to) {
  for (std::int64_t c = 0; c < count; ++c) {
    to[c] += factor * from[c];
  }
}

// The sentence of a token.
std::int64_t lambda_sentence(const LambdaArgs& args, std::int64_t token) {
  return std::upper_bound(args.offsets, args.offsets + args.sentences + 1, token) - args.offsets -
         1;
}

void lambda_row(const LambdaArgs& args, std::int64_t i) {
  const std::int64_t s = lambda_sentence(args, i);
  const std::int64_t first = std::max(args.offsets[s], i - args.reach());
  const std::int64_t last = std::min(args.offsets[s + 1] - 1, i + args.reach());
  for (std::int64_t head = 0; head < args.heads; ++head) {
    const std::int64_t of_values = head / args.heads_per_kv * args.d_v;
    const float* q = args.q.row<float>(i) + head * args.d_k;
    float* y = args.y.row<float>(i) + head * args.d_v;
    std::fill_n(y, args.d_v, 0.0F);
    for (std::int64_t k = 0; k < args.d_k; ++k) {
      add_scaled(q[k], args.lambdas.row<float>(s * args.d_k + k) + of_values, args.d_v, y);
    }
    for (std::int64_t j = first; j <= last; ++j) {
      const float* e = args.positions.row<float>(j - i + args.reach());
      add_scaled(lambda_dot(q, e, args.d_k), args.v.row<float>(j) + of_values, args.d_v, y);
    }
  }
}

void clear_part(const View& view, std::int64_t first_row, std::int64_t rows, std::int64_t column,
                std::int64_t columns) {
  for (std::int64_t row = 0; row < rows; ++row) {
    std::fill_n(view.row<float>(first_row + row) + column, columns, 0.0F);
  }
}

// dq, dv and dΛ of the queries of one sentence that read a head of values.
void lambda_gradients(const LambdaBackwardArgs& args, std::int64_t s, std::int64_t kv_head) {
  const LambdaArgs& in = args.forward;
  const std::int64_t begin = in.offsets[s];
  const std::int64_t end = in.offsets[s + 1];
  const std::int64_t of_values = kv_head * in.d_v;
  const std::int64_t first_head = kv_head * in.heads_per_kv;
  if (!args.accumulate_dq) {
    clear_part(args.dq, begin, end - begin, first_head * in.d_k, in.heads_per_kv * in.d_k);
  }
  if (!args.accumulate_dv) {
    clear_part(args.dv, begin, end - begin, of_values, in.d_v);
  }
  if (!args.accumulate_dlambdas) {
    clear_part(args.dlambdas, s * in.d_k, in.d_k, of_values, in.d_v);
  }
  for (std::int64_t i = begin; i < end; ++i) {
    for (std::int64_t head = first_head; head < first_head + in.heads_per_kv; ++head) {
      const float* q = in.q.row<float>(i) + head * in.d_k;
      const float* dy = args.dy.row<float>(i) + head * in.d_v;
      float* dq = args.dq.row<float>(i) + head * in.d_k;
      for (std::int64_t k = 0; k < in.d_k; ++k) {
        const std::int64_t row = s * in.d_k + k;
        dq[k] += lambda_dot(in.lambdas.row<float>(row) + of_values, dy, in.d_v);
        add_scaled(q[k], dy, in.d_v, args.dlambdas.row<float>(row) + of_values);
      }
      const std::int64_t last = std::min(end - 1, i + in.reach());
      for (std::int64_t j = std::max(begin, i - in.reach()); j <= last; ++j) {
        const float* e = in.positions.row<float>(j - i + in.reach());
        const float du = lambda_dot(dy, in.v.row<float>(j) + of_values, in.d_v);
        add_scaled(du, e, in.d_k, dq);
        add_scaled(lambda_dot(q, e, in.d_k), dy, in.d_v, args.dv.row<float>(j) + of_values);
      }
    }
  }
}

// de_δ += Σ (dy_i·v_(i+δ)) q_i over all queries, in their order.
void lambda_position(const LambdaBackwardArgs& args, std::int64_t place) {
  const LambdaArgs& in = args.forward;
  const std::int64_t distance = place - in.reach();
  float* to = args.dpositions.row<float>(place);
  for (std::int64_t s = 0; s < in.sentences; ++s) {
    const std::int64_t begin = in.offsets[s] + std::max<std::int64_t>(0, -distance);
    const std::int64_t end = in.offsets[s + 1] - std::max<std::int64_t>(0, distance);
    for (std::int64_t i = begin; i < end; ++i) {
      for (std::int64_t head = 0; head < in.heads; ++head) {
        const float* v = in.v.row<float>(i + distance) + head / in.heads_per_kv * in.d_v;
        const float du = lambda_dot(args.dy.row<float>(i) + head * in.d_v, v, in.d_v);
        add_scaled(du, in.q.row<float>(i) + head * in.d_k, in.d_k, to);
      }
    }
  }
}

void apply_lambdas(const LambdaArgs& args, Exec& exec) {
  if (args.q.dtype != DType::f32) {
    reference_kernels().apply_lambdas.function()(args, exec);
    return;
  }
  const std::int64_t work = args.q.cols * (args.positions.rows + args.d_k);
  cpu::for_each_row(exec, args.q.rows, work, [&](std::int64_t i) { lambda_row(args, i); });
}

void apply_lambdas_backward(const LambdaBackwardArgs& args, Exec& exec) {
  const LambdaArgs& in = args.forward;
  if (in.q.dtype != DType::f32) {
    reference_kernels().apply_lambdas_backward.function()(args, exec);
    return;
  }
  const std::int64_t kv_heads = in.kv_heads();
  exec.pool->run(in.sentences * kv_heads, [&](std::int64_t unit) {
    lambda_gradients(args, unit / kv_heads, unit % kv_heads);
  });
  exec.pool->run(in.positions.rows, [&](std::int64_t place) { lambda_position(args, place); });
}

const Registration registration(BackendKind::cpu, [](Kernels& table) {
  table.apply_lambdas = apply_lambdas;
  table.apply_lambdas_backward = apply_lambdas_backward;
});

}  // namespace

}  // namespace yona
