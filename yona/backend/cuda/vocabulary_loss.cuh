// The loss over a vocabulary without a pass over its logits.
//
// With l the logits of a row, t its target and u_j = exp(l_j - l_t), which the product itself
// writes (vocabulary_product.cuh), p_j = u_j / Σ u and -log p_t = log Σ u. The gradient of the
// row's loss,
//   dl_j = s (p_j - ε/V - (1-ε) [j = t]) = s p_t (u_j - [j = t] (1-ε) / p_t) - s ε/V,
// is a factor s p_t of the row times something that differs from u at the target alone: so one
// element of each row is replaced, and the factor is applied to the small sides of the products:
//   dx = s p_t (u' E) - s ε/V Σ_j E_j,      dE = u'ᵀ (s p_t x) - 1 (ε/V Σ_rows s x)ᵀ.
#pragma once

#include "yona/backend/cuda/rows.cuh"
#include "yona/backend/cuda/vocabulary_epilogue.cuh"

namespace yona::cuda {

struct VocabularyLoss {
  Rows<bf16> x;       // [rows, depth]
  Rows<bf16> table;   // [V, depth]
  Rows<bf16> powers;  // [rows, V]
  const std::int32_t* targets = nullptr;
  const float* row_scale = nullptr;
  float* target_logits = nullptr;  // [rows]
  float* factors = nullptr;        // [rows]: s p_t
  VocabularyStatistics slices;
  int slice_count = 0;
  int rows = 0;
  Rows<float> losses;  // [rows, 2]
  Rows<bf16> scaled;   // [rows, depth]: s p_t x
  float smoothing = 0.0F;
};

// l_t: a warp to a row.
__global__ void __launch_bounds__(kThreads) target_logits_kernel(const VocabularyLoss loss) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (row >= loss.rows) {
    return;
  }
  const std::int64_t target = loss.targets[row];
  float sum = 0.0F;
  for (std::int64_t c = threadIdx.x % kLanes * kPack; c < loss.x.cols; c += kChunk) {
    float a[kPack];
    float b[kPack];
    loss.x.load(row, c, a);
    loss.table.load(target, c, b);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sum += a[i] * b[i];
    }
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kLanes == 0) {
    loss.target_logits[row] = sum;
  }
}

// 32 rows to a block, one to each lane; its warps share the slices, whose sums are added in order.
__global__ void __launch_bounds__(kThreads) power_losses_kernel(const VocabularyLoss loss) {
  __shared__ float2 parts[kWarps][kLanes];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int row = static_cast<int>(blockIdx.x) * kLanes + lane;
  float2 sums = make_float2(0.0F, 0.0F);
  if (row < loss.rows) {
#pragma unroll 8
    for (int slice = warp; slice < loss.slice_count; slice += kWarps) {
      const float2 next = loss.slices.powers[slice * loss.slices.stride + row];
      sums.x += next.x;
      sums.y += next.y;
    }
  }
  parts[warp][lane] = sums;
  __syncthreads();
  if (warp != 0 || row >= loss.rows) {
    return;
  }
#pragma unroll
  for (int w = 1; w < kWarps; ++w) {
    sums.x += parts[w][lane].x;
    sums.y += parts[w][lane].y;
  }
  const float log_p = -logf(sums.x);
  const float log_sum = loss.target_logits[row] - log_p;
  const float mean =
      loss.smoothing > 0 ? sums.y / static_cast<float>(loss.powers.cols) - log_sum : 0.0F;
  float* out = loss.losses.row(row);
  out[0] = -(1.0F - loss.smoothing) * log_p - loss.smoothing * mean;
  out[1] = -log_p;
  bf16& at_target = loss.powers.row(row)[loss.targets[row]];
  at_target = from_float<bf16>(to_float(at_target) - (1.0F - loss.smoothing) * sums.x);
  loss.factors[row] = loss.row_scale[row] / sums.x;
}

// s p_t x: a warp to a row.
__global__ void __launch_bounds__(kThreads) scale_rows_kernel(const VocabularyLoss loss) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (row >= loss.rows) {
    return;
  }
  const float factor = loss.factors[row];
  for (std::int64_t c = threadIdx.x % kLanes * kPack; c < loss.x.cols; c += kChunk) {
    float v[kPack];
    loss.x.load(row, c, v);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] *= factor;
    }
    loss.scaled.store(row, c, v);
  }
}

}  // namespace yona::cuda
