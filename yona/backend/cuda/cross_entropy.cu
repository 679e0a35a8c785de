// Label-smoothed cross-entropy of rows of logits, its gradient in place, and R-Drop's two passes. A
// block takes a row: one reading for the sums, one more (out of the cache) to write the gradient.

#include "yona/backend/cuda/common/block.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T>
struct Loss {
  Rows<T> logits;
  Rows<float> losses;
  const std::int32_t* targets = nullptr;
  const float* row_scale = nullptr;
  float smoothing = 0.0F;
  bool gradient = false;
};

// loss = -Σ q log p = -(1-ε) log p_t - ε/V Σ_j log p_j
template <class T>
__device__ void write_losses(const Loss<T>& loss, std::int64_t row, const LogSum& sums,
                             float target_logit, float extra) {
  if (threadIdx.x == 0) {
    const auto vocabulary = static_cast<float>(loss.logits.cols);
    const float log_p = target_logit - sums.log_sum;
    const float mean_log_p = loss.smoothing > 0 ? sums.plain_sum / vocabulary - sums.log_sum : 0.0F;
    float* out = loss.losses.row(row);
    out[0] = -(1.0F - loss.smoothing) * log_p - loss.smoothing * mean_log_p + extra;
    out[1] = -log_p;
  }
}

template <class T>
__device__ float smoothed_target(const Loss<T>& loss, std::int32_t target, std::int64_t column) {
  return loss.smoothing / static_cast<float>(loss.logits.cols) +
         (column == target ? 1.0F - loss.smoothing : 0.0F);
}

template <class T>
__global__ void __launch_bounds__(kThreads) cross_entropy_kernel(Loss<T> loss) {
  const std::int64_t row = blockIdx.x;
  const std::int32_t target = loss.targets[row];
  const float target_logit = to_float(loss.logits.row(row)[target]);
  const LogSum sums = log_sum_of_row(loss.logits, row);
  write_losses(loss, row, sums, target_logit, 0.0F);
  if (!loss.gradient) {
    return;
  }
  const float scale = loss.row_scale[row];
  for (std::int64_t c = threadIdx.x * kPack; c < loss.logits.cols; c += kThreads * kPack) {
    float v[kPack];
    loss.logits.load(row, c, v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] = (expf(v[i] - sums.log_sum) - smoothed_target(loss, target, c + i)) * scale;
    }
    loss.logits.store(row, c, v);
  }
}

// The same for rows of bf16 that fit into a block's registers: one reading, one writing. Each of
// kRowThreads threads has packs threadIdx.x, threadIdx.x + kRowThreads, … of the row. Packs that
// reach beyond the row are read and written whole: rows are padded for that.
constexpr int kRowThreads = 512;

// Combines a pair of values per thread over the block; every thread gets the results.
template <class Combine>
__device__ float2 row_reduce(float2 x, const Combine& combine) {
  constexpr int kRowWarps = kRowThreads / kLanes;
  __shared__ float2 parts[kRowWarps];
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    x.x = combine(x.x, __shfl_xor_sync(0xFFFFFFFFU, x.x, distance));
    x.y = combine(x.y, __shfl_xor_sync(0xFFFFFFFFU, x.y, distance));
  }
  __syncthreads();  // earlier reads of parts are over
  if (threadIdx.x % kLanes == 0) {
    parts[threadIdx.x / kLanes] = x;
  }
  __syncthreads();
  float2 total = parts[0];
#pragma unroll
  for (int warp = 1; warp < kRowWarps; ++warp) {
    total.x = combine(total.x, parts[warp].x);
    total.y = combine(total.y, parts[warp].y);
  }
  return total;
}

// Columns of this thread's pack k; those of a pack that is not there are beyond the row.
__device__ int column_of(int k) {
  return (k * kRowThreads + static_cast<int>(threadIdx.x)) * kPack;
}

// Reads the row's packs of this thread. What is beyond the row becomes -infinity, which adds
// nothing to a sum of exponentials; `plain` is the sum of what is in it.
template <int kPacks>
__device__ void load_row(const bf16* z, int cols, uint4 (&packs)[kPacks], float& largest,
                         float& plain) {
  const std::uint32_t nothing = 0xFF80FF80U;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    packs[k] = column_of(k) < cols ? *reinterpret_cast<const uint4*>(z + column_of(k))
                                   : make_uint4(nothing, nothing, nothing, nothing);
  }
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    float v[kPack];
    load8(reinterpret_cast<const bf16*>(&packs[k]), v);
    if (column_of(k) + kPack <= cols) {
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        plain += v[i];
        largest = fmaxf(largest, v[i]);
      }
    } else {
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        const bool inside = column_of(k) + i < cols;
        plain += inside ? v[i] : 0.0F;
        v[i] = inside ? v[i] : -INFINITY;
        largest = fmaxf(largest, v[i]);
      }
      store8(reinterpret_cast<bf16*>(&packs[k]), v);
    }
  }
}

template <int kPacks>
__global__ void __launch_bounds__(kRowThreads, 2) register_cross_entropy_kernel(Loss<bf16> loss) {
  const std::int64_t row = blockIdx.x;
  const auto cols = static_cast<int>(loss.logits.cols);
  bf16* z = loss.logits.row(row);
  const std::int32_t target = loss.targets[row];
  const float target_logit = to_float(z[target]);
  uint4 packs[kPacks];
  float largest = -INFINITY;
  float plain = 0.0F;
  load_row<kPacks>(z, cols, packs, largest, plain);
  largest = row_reduce({largest, 0.0F}, [](float a, float b) { return fmaxf(a, b); }).x;
  float sum = 0.0F;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    float v[kPack];
    load8(reinterpret_cast<const bf16*>(&packs[k]), v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sum += exp2_fast((v[i] - largest) * kLog2E);
    }
  }
  const float2 sums = row_reduce({sum, plain}, [](float a, float b) { return a + b; });
  const float log_sum = largest + logf(sums.x);
  write_losses(loss, row, {log_sum, sums.y}, target_logit, 0.0F);
  if (!loss.gradient) {
    return;
  }
  // (p - ε/V) · scale, and at the target (1-ε) · scale less
  const float scale = loss.row_scale[row];
  const float spread = scale * loss.smoothing / static_cast<float>(cols);
  const float shift = -log_sum * kLog2E;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (column_of(k) < cols) {
      float v[kPack];
      load8(reinterpret_cast<const bf16*>(&packs[k]), v);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        v[i] = exp2_fast(v[i] * kLog2E + shift) * scale - spread;
      }
      if (target / kPack == column_of(k) / kPack) {
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          v[i] -= target % kPack == i ? (1.0F - loss.smoothing) * scale : 0.0F;
        }
      }
      store8(z + column_of(k), v);
    }
  }
}

// Does a row fit, with packs that reach beyond it?
bool fits_registers(const View& logits, int packs) {
  return logits.dtype == DType::bf16 && rows_of<bf16>(logits).vector &&
         (logits.cols + kPack - 1) / kPack * kPack <= logits.stride &&
         logits.cols <= static_cast<std::int64_t>(packs) * kRowThreads * kPack;
}

// With u = log p - log p':  KL = Σ p u,  KL' = -Σ p' u;  d/dz of ½(KL + KL') is
//   ½ [ p (u - KL) + p - p' ],  and with the roles exchanged for z'.
template <class T>
__global__ void __launch_bounds__(kThreads)
    rdrop_kernel(Loss<T> first, Loss<T> second, float alpha) {
  const std::int64_t row = blockIdx.x;
  const std::int32_t target = first.targets[row];
  const float first_logit = to_float(first.logits.row(row)[target]);
  const float second_logit = to_float(second.logits.row(row)[target]);
  const LogSum a = log_sum_of_row(first.logits, row);
  const LogSum b = log_sum_of_row(second.logits, row);
  float kl_ab = 0.0F;
  float kl_ba = 0.0F;
  for (std::int64_t c = threadIdx.x * kPack; c < first.logits.cols; c += kThreads * kPack) {
    float v[kPack];
    float w[kPack];
    first.logits.load(row, c, v);
    second.logits.load(row, c, w);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      if (c + i < first.logits.cols) {
        const float log_p = v[i] - a.log_sum;
        const float log_q = w[i] - b.log_sum;
        kl_ab += expf(log_p) * (log_p - log_q);
        kl_ba += expf(log_q) * (log_q - log_p);
      }
    }
  }
  kl_ab = block_sum(kl_ab);
  kl_ba = block_sum(kl_ba);
  write_losses(first, row, a, first_logit, alpha * 0.5F * (kl_ab + kl_ba));
  write_losses(second, row, b, second_logit, 0.0F);
  if (!first.gradient) {
    return;
  }
  for (std::int64_t c = threadIdx.x * kPack; c < first.logits.cols; c += kThreads * kPack) {
    float v[kPack];
    float w[kPack];
    first.logits.load(row, c, v);
    second.logits.load(row, c, w);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const float log_p = v[i] - a.log_sum;
      const float log_q = w[i] - b.log_sum;
      const float p = expf(log_p);
      const float q = expf(log_q);
      const float wanted = smoothed_target(first, target, c + i);
      const float da = alpha * 0.5F * (p * (log_p - log_q - kl_ab) + p - q);
      const float db = alpha * 0.5F * (q * (log_q - log_p - kl_ba) + q - p);
      v[i] = (p - wanted + da) * first.row_scale[row];
      w[i] = (q - wanted + db) * second.row_scale[row];
    }
    first.logits.store(row, c, v);
    second.logits.store(row, c, w);
  }
}

template <class T>
Loss<T> loss_of(const CrossEntropyArgs& args) {
  return {rows_of<T>(args.logits),
          rows_of<float>(args.losses),
          args.targets,
          args.row_scale,
          args.smoothing,
          args.gradient};
}

void cross_entropy(const CrossEntropyArgs& args, Exec& exec) {
  if (args.logits.rows == 0) {
    return;
  }
  const auto rows = static_cast<unsigned>(args.logits.rows);
  if (fits_registers(args.logits, 3)) {
    register_cross_entropy_kernel<3>
        <<<rows, kRowThreads, 0, stream_of(exec)>>>(loss_of<bf16>(args));
  } else if (fits_registers(args.logits, 10)) {
    register_cross_entropy_kernel<10>
        <<<rows, kRowThreads, 0, stream_of(exec)>>>(loss_of<bf16>(args));
  } else {
    with_type(args.logits.dtype, "cross_entropy", [&](auto t) {
      cross_entropy_kernel<<<rows, kThreads, 0, stream_of(exec)>>>(loss_of<decltype(t)>(args));
    });
  }
  check_launch("cross_entropy");
}

void rdrop(const RDropArgs& args, Exec& exec) {
  if (args.first.logits.rows == 0) {
    return;
  }
  with_type(args.first.logits.dtype, "rdrop", [&](auto t) {
    using T = decltype(t);
    rdrop_kernel<<<static_cast<unsigned>(args.first.logits.rows), kThreads, 0, stream_of(exec)>>>(
        loss_of<T>(args.first), loss_of<T>(args.second), args.alpha);
  });
  check_launch("rdrop");
}

const Registration registration([](Kernels& table) {
  table.cross_entropy = cross_entropy;
  table.rdrop = rdrop;
});

}  // namespace
}  // namespace yona::cuda
