// Label-smoothed cross-entropy of rows of logits, its gradient in place, and R-Drop's two passes. A
// block takes a row: one reading for the sums, one more (out of the cache) to write the gradient.

#include "yona/backend/cuda/block.cuh"
#include "yona/backend/cuda/registration.h"

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
  with_type(args.logits.dtype, "cross_entropy", [&](auto t) {
    cross_entropy_kernel<<<static_cast<unsigned>(args.logits.rows), kThreads, 0, stream_of(exec)>>>(
        loss_of<decltype(t)>(args));
  });
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
