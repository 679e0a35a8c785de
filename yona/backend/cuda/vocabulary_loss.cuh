// The loss over a vocabulary without a pass over its logits.
//
// With l the logits of a row, t its target and u_j = exp(l_j - l_t) / c, which the product itself
// writes (vocabulary_product.cuh), p_j = u_j / Σ u and -log p_t = log Σ u + log c. The gradient of
// the row's loss,
//   dl_j = s (p_j - ε/V - (1-ε) [j = t]) = f (u_j - [j = t] (1-ε) Σ u) - s ε/V   with f = s / Σ u,
// is a factor of the row times something that differs from u at the target alone: so one element of
// each row is replaced, and the factor is applied to the small sides of the products:
//   dx = f (u' E) - s ε/V Σ_j E_j,      dE = u'ᵀ (f x) - 1 (ε/V Σ_rows s x)ᵀ.
// The last term of dE is two more rows of that product, of ones in u' and of the sum in f x: what
// bf16 has of it, and the rest. Σ_j l_j, which smoothed losses ask for, is x · Σ_j E_j.
#pragma once

#include "yona/backend/cuda/rows.cuh"
#include "yona/backend/cuda/vocabulary_epilogue.cuh"

namespace yona::cuda {

struct VocabularyLoss {
  static constexpr int kDepth = VocabularyTile::kDepth * VocabularyTile::kSteps;  // at most
  static constexpr int kMore = 8;  // rows after the others, of powers and `scaled`
  static constexpr int kRowsOfBlock = 32;

  Rows<bf16> x;       // [rows, depth]
  Rows<bf16> table;   // [V, depth]
  Rows<bf16> powers;  // [rows + kMore, V]
  const std::int32_t* targets = nullptr;
  const float* row_scale = nullptr;
  const float* table_sums = nullptr;  // [depth]: Σ_j E_j; nothing where there is no smoothing
  float* target_logits = nullptr;     // [rows]
  float* logit_sums = nullptr;        // [rows]: Σ_j l_j
  float* factors = nullptr;           // [rows]: f
  const float* slices = nullptr;      // [slice_count, slice_stride]
  std::int64_t slice_stride = 0;
  int slice_count = 0;
  int rows = 0;
  Rows<float> losses;          // [rows, 2]
  Rows<bf16> scaled;           // [rows + kMore, depth]: f x
  float* parts = nullptr;      // [⌈rows / kRowsOfBlock⌉, depth]: Σ s x of a block's rows
  Rows<float> state_products;  // [rows, depth]: u' E
  Rows<bf16> dx;               // [rows, depth]
  float smoothing = 0.0F;
  bool accumulate = false;  // into dx
};

// l_t and Σ_j l_j: a warp to a row.
__global__ void __launch_bounds__(kThreads) target_logits_kernel(const VocabularyLoss loss) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (row >= loss.rows) {
    return;
  }
  const std::int64_t target = loss.targets[row];
  float logit = 0.0F;
  float all = 0.0F;
  for (std::int64_t c = threadIdx.x % kLanes * kPack; c < loss.x.cols; c += kChunk) {
    float a[kPack];
    float b[kPack];
    loss.x.load(row, c, a);
    loss.table.load(target, c, b);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      logit += a[i] * b[i];
      if (loss.table_sums != nullptr && c + i < loss.x.cols) {
        all += a[i] * loss.table_sums[c + i];
      }
    }
  }
  logit = warp_sum(logit);
  all = warp_sum(all);
  if (threadIdx.x % kLanes == 0) {
    loss.target_logits[row] = logit;
    loss.logit_sums[row] = all;
  }
}

// 32 rows to a block, one to each lane; its warps share the slices, whose sums are added in order.
__global__ void __launch_bounds__(kThreads)
    power_losses_kernel(const VocabularyLoss loss, const bool gradient) {
  __shared__ float parts[kWarps][kLanes];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int row = static_cast<int>(blockIdx.x) * kLanes + lane;
  float sum = 0.0F;
  if (row < loss.rows) {
#pragma unroll 8
    for (int slice = warp; slice < loss.slice_count; slice += kWarps) {
      sum += loss.slices[slice * loss.slice_stride + row];
    }
  }
  parts[warp][lane] = sum;
  __syncthreads();
  if (warp != 0 || row >= loss.rows) {
    return;
  }
#pragma unroll
  for (int w = 1; w < kWarps; ++w) {
    sum += parts[w][lane];
  }
  constexpr float kScale = kVocabularyScale * 0.6931471805599453F;  // log c
  const float log_p = -(logf(sum) + kScale);
  const float log_sum = loss.target_logits[row] - log_p;
  const float mean = loss.smoothing > 0
                         ? loss.logit_sums[row] / static_cast<float>(loss.powers.cols) - log_sum
                         : 0.0F;
  float* out = loss.losses.row(row);
  out[0] = -(1.0F - loss.smoothing) * log_p - loss.smoothing * mean;
  out[1] = -log_p;
  if (gradient) {
    const float one = exp2f(-kVocabularyScale);  // u_t
    loss.powers.row(row)[loss.targets[row]] = from_float<bf16>(one - (1.0F - loss.smoothing) * sum);
    loss.factors[row] = loss.row_scale[row] / sum;
  }
}

// f x, and Σ s x of kRowsOfBlock rows. A warp takes every eighth of the block's rows; its lanes
// have packs of columns.
__global__ void __launch_bounds__(kThreads) scale_rows_kernel(const VocabularyLoss loss) {
  constexpr int kPacks = VocabularyLoss::kDepth / kChunk;
  __shared__ float sums[kWarps][VocabularyLoss::kDepth];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * VocabularyLoss::kRowsOfBlock;
  float sum[kPacks][kPack] = {};
  for (int r = warp; r < VocabularyLoss::kRowsOfBlock && first + r < loss.rows; r += kWarps) {
    const float factor = loss.factors[first + r];
    const float scale = loss.row_scale[first + r];
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      const int c = k * kChunk + lane * kPack;
      if (c < loss.x.cols) {
        float v[kPack];
        loss.x.load(first + r, c, v);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          sum[k][i] += scale * v[i];
          v[i] *= factor;
        }
        loss.scaled.store(first + r, c, v);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sums[warp][k * kChunk + lane * kPack + i] = sum[k][i];
    }
  }
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < loss.x.cols; c += kThreads) {
    float all = 0.0F;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      all += sums[w][c];
    }
    loss.parts[blockIdx.x * loss.x.cols + c] = all;
  }
}

// The rows after the others: of f x by the first blocks, 32 columns each, whose warps share the
// parts; of powers, ones, by the blocks after them.
__global__ void __launch_bounds__(kThreads) more_rows_kernel(const VocabularyLoss loss) {
  const auto depth = static_cast<int>(loss.x.cols);
  const int own = (depth + kLanes - 1) / kLanes;
  const auto block = static_cast<int>(blockIdx.x);
  if (block >= own) {
    const int first = (block - own) * kThreads + static_cast<int>(threadIdx.x);
    for (std::int64_t c = first; c < loss.powers.stride; c += (gridDim.x - own) * kThreads) {
      for (int more = 0; more < VocabularyLoss::kMore; ++more) {
        loss.powers.row(loss.rows + more)[c] = from_float<bf16>(c < loss.powers.cols ? 1.0F : 0.0F);
      }
    }
    return;
  }
  __shared__ float sums[kWarps][kLanes];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int column = block * kLanes + lane;
  const int parts = (loss.rows + VocabularyLoss::kRowsOfBlock - 1) / VocabularyLoss::kRowsOfBlock;
  float sum = 0.0F;
  if (column < depth) {
#pragma unroll 4
    for (int part = warp; part < parts; part += kWarps) {
      sum += loss.parts[static_cast<std::int64_t>(part) * depth + column];
    }
  }
  sums[warp][lane] = sum;
  __syncthreads();
  if (warp == 0 && column < depth) {
#pragma unroll
    for (int w = 1; w < kWarps; ++w) {
      sum += sums[w][lane];
    }
    sum *= -loss.smoothing / static_cast<float>(loss.powers.cols);
    const bf16 most = from_float<bf16>(sum);
    for (int more = 0; more < VocabularyLoss::kMore; ++more) {
      loss.scaled.row(loss.rows + more)[column] = more == 0 ? most
                                                  : more == 1
                                                      ? from_float<bf16>(sum - to_float(most))
                                                      : from_float<bf16>(0.0F);
    }
  }
}

// dx = f (u' E) - s ε/V Σ_j E_j: a warp to a row.
__global__ void __launch_bounds__(kThreads) finish_states_kernel(const VocabularyLoss loss) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (row >= loss.rows) {
    return;
  }
  const float factor = loss.factors[row];
  const float spread = -loss.row_scale[row] * loss.smoothing / static_cast<float>(loss.powers.cols);
  for (std::int64_t c = threadIdx.x % kLanes * kPack; c < loss.x.cols; c += kChunk) {
    float v[kPack];
    loss.state_products.load(row, c, v);
    float before[kPack] = {};
    if (loss.accumulate) {
      loss.dx.load(row, c, before);
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      const float sums =
          loss.table_sums != nullptr && c + i < loss.x.cols ? loss.table_sums[c + i] : 0.0F;
      v[i] = before[i] + factor * v[i] + spread * sums;
    }
    loss.dx.store(row, c, v);
  }
}

}  // namespace yona::cuda
