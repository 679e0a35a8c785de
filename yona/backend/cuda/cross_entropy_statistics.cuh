// The loss of rows of logits whose product left statistics (vocabulary_product.cuh): the log-sums
// come from those, and the gradient is one pass that asks nothing of a row's other elements.
#pragma once

#include "yona/backend/cuda/rows.cuh"
#include "yona/backend/cuda/vocabulary_epilogue.cuh"

namespace yona::cuda {

struct StatisticsOfRows {
  VocabularyStatistics slices;
  int count = 0;  // slices
  int rows = 0;
};

// 32 rows to a block, one to each lane; its warps share the slices, and are added up in order.
// finish(row, log-sum, Σ logit) is called once for each row.
template <class Finish>
__device__ void add_up_slices(const StatisticsOfRows& from, const Finish& finish) {
  __shared__ float tops[kWarps][kLanes];
  __shared__ float powers[kWarps][kLanes];
  __shared__ float sums[kWarps][kLanes];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int row = static_cast<int>(blockIdx.x) * kLanes + lane;
  float top = -INFINITY;
  float power = 0.0F;
  float sum = 0.0F;
  if (row < from.rows) {
#pragma unroll 4
    for (int slice = warp; slice < from.count; slice += kWarps) {
      const float2 next = from.slices.powers[slice * from.slices.stride + row];
      sum += from.slices.sums[slice * from.slices.stride + row];
      const float larger = fmaxf(top, next.x);
      const float base = larger == -INFINITY ? 0.0F : larger;
      power = power * power_of_two((top - base) * kLog2E) +
              next.y * power_of_two((next.x - base) * kLog2E);
      top = larger;
    }
  }
  tops[warp][lane] = top;
  powers[warp][lane] = power;
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && row < from.rows) {
    float all = -INFINITY;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      all = fmaxf(all, tops[w][lane]);
    }
    const float base = all == -INFINITY ? 0.0F : all;
    power = sum = 0.0F;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      power += powers[w][lane] * power_of_two((tops[w][lane] - base) * kLog2E);
      sum += sums[w][lane];
    }
    finish(row, base + logf(power), sum);
  }
}

struct LossOfStatistics {
  Rows<bf16> logits;
  Rows<float> losses;
  const std::int32_t* targets = nullptr;
  const float* row_scale = nullptr;
  float* log_sums = nullptr;  // [rows]
  float smoothing = 0.0F;
};

__global__ void __launch_bounds__(kThreads)
    losses_kernel(const StatisticsOfRows statistics, const LossOfStatistics loss) {
  add_up_slices(statistics, [&](int row, float log_sum, float sum) {
    loss.log_sums[row] = log_sum;
    const float log_p = to_float(loss.logits.row(row)[loss.targets[row]]) - log_sum;
    const float mean =
        loss.smoothing > 0 ? sum / static_cast<float>(loss.logits.cols) - log_sum : 0.0F;
    float* out = loss.losses.row(row);
    out[0] = -(1.0F - loss.smoothing) * log_p - loss.smoothing * mean;
    out[1] = -log_p;
  });
}

// dlogits = (p - ε/V) · scale, and at the target (1-ε) · scale less. A thread has kPacks packs of a
// row, kThreads packs apart, all on their way before the first is used. Packs that reach beyond the
// row are read and written whole: rows have room for that.
template <int kPacks>
__global__ void __launch_bounds__(kThreads) loss_gradient_kernel(const LossOfStatistics loss) {
  const std::int64_t row = blockIdx.y;
  const auto cols = static_cast<int>(loss.logits.cols);
  bf16* z = loss.logits.row(row);
  const auto column_of = [](int k) {
    return ((static_cast<int>(blockIdx.x) * kPacks + k) * kThreads +
            static_cast<int>(threadIdx.x)) *
           kPack;
  };
  uint4 held[kPacks];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (column_of(k) < cols) {
      held[k] = *reinterpret_cast<const uint4*>(z + column_of(k));
    }
  }
  const std::int32_t target = loss.targets[row];
  const float scale = loss.row_scale[row];
  const float spread = scale * loss.smoothing / static_cast<float>(cols);
  const float shift = -loss.log_sums[row] * kLog2E;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    if (column_of(k) < cols) {
      float v[kPack];
      load8(reinterpret_cast<const bf16*>(&held[k]), v);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        v[i] = power_of_two(v[i] * kLog2E + shift) * scale - spread;
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

}  // namespace yona::cuda
