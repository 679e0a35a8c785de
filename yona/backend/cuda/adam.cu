// Adam with clipping, decoupled weight decay, a moving average and the weights' bf16 copy in one
// pass over the flat buffers; and the squared norm that clipping needs, in double, over slices that
// depend on the size alone.

#include <algorithm>

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

constexpr int kNormBlocks = 1024;

__device__ double block_sum_of_doubles(double x) {
  __shared__ double parts[kWarps];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    x += __shfl_xor_sync(0xFFFFFFFFU, x, distance);
  }
  if (threadIdx.x % kLanes == 0) {
    parts[threadIdx.x / kLanes] = x;
  }
  __syncthreads();
  double total = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    total += parts[warp];
  }
  return total;
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    squares_kernel(Rows<T> x, std::int64_t rows, double* partials) {
  const std::int64_t packs = (x.cols + kPack - 1) / kPack;
  double sum = 0;
  for (std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
       item < rows * packs; item += static_cast<std::int64_t>(gridDim.x) * kThreads) {
    float v[kPack];
    x.load(item / packs, item % packs * kPack, v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sum += static_cast<double>(v[i]) * static_cast<double>(v[i]);
    }
  }
  sum = block_sum_of_doubles(sum);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
  }
}

__global__ void __launch_bounds__(kThreads)
    sum_kernel(const double* partials, int count, double* out) {
  double sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
    sum += partials[i];
  }
  sum = block_sum_of_doubles(sum);
  if (threadIdx.x == 0) {
    *out = sum;
  }
}

void squared_norm(const SquaredNormArgs& args, Exec& exec) {
  const View x = flattened(args.x);
  const std::int64_t items = x.rows * ((x.cols + kPack - 1) / kPack);
  const unsigned blocks =
      std::clamp<unsigned>(blocks_for(items, kThreads), 1, static_cast<unsigned>(kNormBlocks));
  Scratch& scratch = exec_of(exec).scratch;
  scratch.begin(Scratch::size_for<double>(blocks), stream_of(exec));
  auto* partials = scratch.take<double>(blocks);
  with_type(x.dtype, "squared_norm", [&](auto t) {
    squares_kernel<<<blocks, kThreads, 0, stream_of(exec)>>>(rows_of<decltype(t)>(x), x.rows,
                                                             partials);
  });
  sum_kernel<<<1, kThreads, 0, stream_of(exec)>>>(partials, static_cast<int>(blocks), args.out);
  check_launch("squared_norm");
}

struct Update {
  Rows<float> weights, gradients, m, v, average;
  Rows<bf16> rounded;
  const double* squared_norm = nullptr;
  float clip_norm, rate, beta1, beta2, epsilon, decay, ema, correction1, correction2;
};

__global__ void __launch_bounds__(kThreads) adam_kernel(Update u) {
  const double norm = *u.squared_norm;
  if (!isfinite(norm)) {
    return;
  }
  const float clip =
      u.clip_norm > 0 ? static_cast<float>(fmin(1.0, static_cast<double>(u.clip_norm) / sqrt(norm)))
                      : 1.0F;
  const std::int64_t c = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kPack;
  if (c >= u.weights.cols) {
    return;
  }
  float w[kPack];
  float g[kPack];
  float m[kPack];
  float v[kPack];
  u.weights.load(0, c, w);
  u.gradients.load(0, c, g);
  u.m.load(0, c, m);
  u.v.load(0, c, v);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    g[i] *= clip;
    m[i] = u.beta1 * m[i] + (1.0F - u.beta1) * g[i];
    v[i] = u.beta2 * v[i] + (1.0F - u.beta2) * g[i] * g[i];
    const float step = (m[i] / u.correction1) / (sqrtf(v[i] / u.correction2) + u.epsilon);
    w[i] -= u.rate * (step + u.decay * w[i]);
  }
  u.weights.store(0, c, w);
  if (u.rounded.there()) {
    u.rounded.store(0, c, w);
  }
  u.m.store(0, c, m);
  u.v.store(0, c, v);
  if (u.average.there()) {
    u.average.load(0, c, g);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      g[i] = u.ema * g[i] + (1.0F - u.ema) * w[i];
    }
    u.average.store(0, c, g);
  }
}

void adam(const AdamArgs& args, Exec& exec) {
  const View weights = flattened(args.weights);
  if (weights.cols * weights.rows == 0) {
    return;
  }
  check<NotImplemented>(weights.dtype == DType::f32,
                        "adam: there is no kernel for {} in the cuda backend", weights.dtype);
  const Update update{rows_of<float>(weights),
                      rows_of<float>(flattened(args.gradients)),
                      rows_of<float>(flattened(args.m)),
                      rows_of<float>(flattened(args.v)),
                      args.average ? rows_of<float>(flattened(args.average)) : Rows<float>{},
                      args.rounded ? rows_of<bf16>(flattened(args.rounded)) : Rows<bf16>{},
                      args.squared_norm,
                      args.clip_norm,
                      args.rate,
                      args.beta1,
                      args.beta2,
                      args.epsilon,
                      args.decay,
                      args.ema,
                      args.correction1,
                      args.correction2};
  adam_kernel<<<blocks_for(weights.cols, kThreads * kPack), kThreads, 0, stream_of(exec)>>>(update);
  check_launch("adam");
}

const Registration registration([](Kernels& table) {
  table.squared_norm = squared_norm;
  table.adam = adam;
});

}  // namespace
}  // namespace yona::cuda
