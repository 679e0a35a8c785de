// Lambda layers (backend/lambda_args.h): a warp takes a query and head; backward, a warp a query
// and head for dq, a token and head of values for dv, and a block a row of dΛ or a relative
// position. f32 arithmetic; sums have a fixed order. Not tuned.

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/common/sequences.cuh"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

template <class T>
struct LambdaProblem {
  Rows<T> q, v, lambdas, y;
  Rows<float> positions;
  Rows<T> dy, dq, dv, dlambdas;  // backward
  Rows<float> dpositions;
  const std::int64_t* offsets = nullptr;
  std::int64_t sentences = 0, tokens = 0;
  int heads = 1, heads_per_kv = 1, d_k = 0, d_v = 0, reach = 0;
  bool accumulate_dq = false, accumulate_dv = false, accumulate_dlambdas = false;

  __host__ __device__ int kv_heads() const { return heads / heads_per_kv; }
};

// A token and a head, which a warp has.
struct LambdaItem {
  std::int64_t token, begin, end, sentence;
  int head, lane;
  bool there;

  template <class T>
  __device__ LambdaItem(const LambdaProblem<T>& p, int heads) {
    const std::int64_t item =
        static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
    lane = static_cast<int>(threadIdx.x) % kLanes;
    there = item < p.tokens * heads;
    token = there ? item / heads : 0;
    head = static_cast<int>(item % heads);
    sentence = there ? sequence_of(p.offsets, p.sentences, token) : 0;
    begin = p.offsets[sentence];
    end = p.offsets[sentence + 1];
  }
};

// By all lanes of a warp.
template <class A, class B>
__device__ float warp_dot(const A* a, const B* b, int count, int lane) {
  float sum = 0.0F;
  for (int c = lane; c < count; c += kLanes) {
    sum += to_float(a[c]) * to_float(b[c]);
  }
  return warp_sum(sum);
}

constexpr int kLambdaChannels = 8;  // of a lane at a time: a chunk of 256

// Chunks of channels come one after another, and the products with e_δ again for each.
template <class T>
__global__ void __launch_bounds__(kThreads) apply_lambdas_kernel(LambdaProblem<T> p) {
  const LambdaItem at(p, p.heads);
  if (!at.there) {
    return;
  }
  const int of_values = at.head / p.heads_per_kv * p.d_v;
  const T* q = p.q.row(at.token) + at.head * p.d_k;
  const std::int64_t first = max(at.begin, at.token - p.reach);
  const std::int64_t last = min(at.end - 1, at.token + p.reach);
  for (int chunk = 0; chunk < p.d_v; chunk += kLambdaChannels * kLanes) {
    float sums[kLambdaChannels] = {};
    const auto add = [&](float factor, const T* row) {
#pragma unroll
      for (int n = 0; n < kLambdaChannels; ++n) {
        const int c = chunk + n * kLanes + at.lane;
        sums[n] += c < p.d_v ? factor * to_float(row[of_values + c]) : 0.0F;
      }
    };
    for (int k = 0; k < p.d_k; ++k) {
      add(to_float(q[k]), p.lambdas.row(at.sentence * p.d_k + k));
    }
    for (std::int64_t j = first; j <= last; ++j) {
      const float* e = p.positions.row(j - at.token + p.reach);
      add(warp_dot(q, e, p.d_k, at.lane), p.v.row(j));
    }
#pragma unroll
    for (int n = 0; n < kLambdaChannels; ++n) {
      const int c = chunk + n * kLanes + at.lane;
      if (c < p.d_v) {
        p.y.row(at.token)[at.head * p.d_v + c] = from_float<T>(sums[n]);
      }
    }
  }
}

template <class T>
__device__ void put_gradient(T* to, float value, bool accumulate) {
  *to = from_float<T>(accumulate ? to_float(*to) + value : value);
}

// dq_i = Λ dy_i + Σ_δ (dy_i·v_(i+δ)) e_δ
template <class T>
__global__ void __launch_bounds__(kThreads) lambda_query_gradients_kernel(LambdaProblem<T> p) {
  const LambdaItem at(p, p.heads);
  if (!at.there) {
    return;
  }
  const int of_values = at.head / p.heads_per_kv * p.d_v;
  const T* dy = p.dy.row(at.token) + at.head * p.d_v;
  T* dq = p.dq.row(at.token) + at.head * p.d_k;
  const std::int64_t first = max(at.begin, at.token - p.reach);
  const std::int64_t last = min(at.end - 1, at.token + p.reach);
  for (int chunk = 0; chunk < p.d_k; chunk += kLanes) {
    const int k = chunk + at.lane;
    float sum = 0.0F;
    for (int row = chunk; row < min(chunk + kLanes, p.d_k); ++row) {
      const T* lambda = p.lambdas.row(at.sentence * p.d_k + row) + of_values;
      const float dot = warp_dot(dy, lambda, p.d_v, at.lane);
      sum += row == k ? dot : 0.0F;
    }
    for (std::int64_t j = first; j <= last; ++j) {
      const float du = warp_dot(dy, p.v.row(j) + of_values, p.d_v, at.lane);
      sum += k < p.d_k ? du * p.positions.row(j - at.token + p.reach)[k] : 0.0F;
    }
    if (k < p.d_k) {
      put_gradient(dq + k, sum, p.accumulate_dq);
    }
  }
}

// dv_j = Σ_δ Σ of its heads (q_(j-δ)·e_δ) dy_(j-δ)
template <class T>
__global__ void __launch_bounds__(kThreads) lambda_value_gradients_kernel(LambdaProblem<T> p) {
  const LambdaItem at(p, p.kv_heads());
  if (!at.there) {
    return;
  }
  T* dv = p.dv.row(at.token) + at.head * p.d_v;
  const std::int64_t first = max(at.begin, at.token - p.reach);
  const std::int64_t last = min(at.end - 1, at.token + p.reach);
  for (int chunk = 0; chunk < p.d_v; chunk += kLanes) {
    const int c = chunk + at.lane;
    float sum = 0.0F;
    for (std::int64_t i = first; i <= last; ++i) {
      const float* e = p.positions.row(at.token - i + p.reach);
      for (int n = 0; n < p.heads_per_kv; ++n) {
        const int head = at.head * p.heads_per_kv + n;
        const float u = warp_dot(p.q.row(i) + head * p.d_k, e, p.d_k, at.lane);
        sum += c < p.d_v ? u * to_float(p.dy.row(i)[head * p.d_v + c]) : 0.0F;
      }
    }
    if (c < p.d_v) {
      put_gradient(dv + c, sum, p.accumulate_dv);
    }
  }
}

// dΛ[k] = Σ_i q_i[k] dy_i of a sentence and head of values: a block to each k.
template <class T>
__global__ void __launch_bounds__(kThreads) lambda_gradients_kernel(LambdaProblem<T> p) {
  const std::int64_t sentence = blockIdx.x / p.d_k;
  const int k = static_cast<int>(blockIdx.x % p.d_k);
  const int kv_head = static_cast<int>(blockIdx.y);
  for (int c = static_cast<int>(threadIdx.x); c < p.d_v; c += kThreads) {
    float sum = 0.0F;
    for (std::int64_t i = p.offsets[sentence]; i < p.offsets[sentence + 1]; ++i) {
      for (int n = 0; n < p.heads_per_kv; ++n) {
        const int head = kv_head * p.heads_per_kv + n;
        sum += to_float(p.q.row(i)[head * p.d_k + k]) * to_float(p.dy.row(i)[head * p.d_v + c]);
      }
    }
    put_gradient(p.dlambdas.row(blockIdx.x) + kv_head * p.d_v + c, sum, p.accumulate_dlambdas);
  }
}

// de_δ += Σ (dy_i·v_(i+δ)) q_i: a block to each δ and 32 channels, whose warps take turns with the
// queries; their sums are joined in their order.
template <class T>
__global__ void __launch_bounds__(kThreads) lambda_position_gradients_kernel(LambdaProblem<T> p) {
  __shared__ float sums[kWarps][kLanes];
  const int distance = static_cast<int>(blockIdx.x) - p.reach;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int k = static_cast<int>(blockIdx.y) * kLanes + lane;
  float sum = 0.0F;
  for (std::int64_t item = warp; item < p.tokens * p.heads; item += kWarps) {
    const std::int64_t i = item / p.heads;
    const int head = static_cast<int>(item % p.heads);
    const std::int64_t sentence = sequence_of(p.offsets, p.sentences, i);
    const std::int64_t j = i + distance;
    if (j < p.offsets[sentence] || j >= p.offsets[sentence + 1]) {
      continue;
    }
    const float du = warp_dot(p.dy.row(i) + head * p.d_v,
                              p.v.row(j) + head / p.heads_per_kv * p.d_v, p.d_v, lane);
    sum += k < p.d_k ? du * to_float(p.q.row(i)[head * p.d_k + k]) : 0.0F;
  }
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && k < p.d_k) {
    float total = 0.0F;
    for (int w = 0; w < kWarps; ++w) {
      total += sums[w][lane];
    }
    p.dpositions.row(blockIdx.x)[k] += total;
  }
}

template <class T>
LambdaProblem<T> lambda_problem(const LambdaArgs& args) {
  LambdaProblem<T> p;
  p.q = rows_of<T>(args.q);
  p.v = rows_of<T>(args.v);
  p.lambdas = rows_of<T>(args.lambdas);
  p.y = rows_of<T>(args.y);
  p.positions = rows_of<float>(args.positions);
  p.offsets = args.offsets;
  p.sentences = args.sentences;
  p.tokens = args.q.rows;
  p.heads = static_cast<int>(args.heads);
  p.heads_per_kv = static_cast<int>(args.heads_per_kv);
  p.d_k = static_cast<int>(args.d_k);
  p.d_v = static_cast<int>(args.d_v);
  p.reach = static_cast<int>(args.reach());
  return p;
}

void apply_lambdas(const LambdaArgs& args, Exec& exec) {
  if (args.q.rows == 0) {
    return;
  }
  with_forward_type(args.q.dtype, "apply_lambdas", [&](auto t) {
    apply_lambdas_kernel<<<blocks_for(args.q.rows * args.heads, kWarps), kThreads, 0,
                           stream_of(exec)>>>(lambda_problem<decltype(t)>(args));
  });
  check_launch("apply_lambdas");
}

template <class T>
void launch_backward(const LambdaBackwardArgs& args, cudaStream_t stream) {
  LambdaProblem<T> p = lambda_problem<T>(args.forward);
  p.dy = rows_of<T>(args.dy);
  p.dq = rows_of<T>(args.dq);
  p.dv = rows_of<T>(args.dv);
  p.dlambdas = rows_of<T>(args.dlambdas);
  p.dpositions = rows_of<float>(args.dpositions);
  p.accumulate_dq = args.accumulate_dq;
  p.accumulate_dv = args.accumulate_dv;
  p.accumulate_dlambdas = args.accumulate_dlambdas;
  if (p.tokens > 0) {
    lambda_query_gradients_kernel<<<blocks_for(p.tokens * p.heads, kWarps), kThreads, 0, stream>>>(
        p);
    lambda_value_gradients_kernel<<<blocks_for(p.tokens * p.kv_heads(), kWarps), kThreads, 0,
                                    stream>>>(p);
    const dim3 places(static_cast<unsigned>(2 * p.reach + 1), blocks_for(p.d_k, kLanes));
    lambda_position_gradients_kernel<<<places, kThreads, 0, stream>>>(p);
  }
  if (p.sentences > 0) {
    const dim3 rows(static_cast<unsigned>(p.sentences * p.d_k),
                    static_cast<unsigned>(p.kv_heads()));
    lambda_gradients_kernel<<<rows, kThreads, 0, stream>>>(p);
  }
}

void apply_lambdas_backward(const LambdaBackwardArgs& args, Exec& exec) {
  with_type(args.forward.q.dtype, "apply_lambdas_backward",
            [&](auto t) { launch_backward<decltype(t)>(args, stream_of(exec)); });
  check_launch("apply_lambdas_backward");
}

const Registration registration([](Kernels& table) {
  table.apply_lambdas = apply_lambdas;
  table.apply_lambdas_backward = apply_lambdas_backward;
});

}  // namespace
}  // namespace yona::cuda
