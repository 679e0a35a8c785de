// What follows the losses of vocabulary/loss.cuh: states with the factors of their rows, the rows
// that smoothing adds to the product for dE, and dx from its product.
#pragma once

#include "yona/backend/cuda/vocabulary/loss.cuh"

namespace yona::cuda {

// f x, and Σ s x of kRowsOfBlock rows. A warp takes every eighth of the block's rows; its lanes
// have packs of columns.
template <int kPacks>
__global__ void __launch_bounds__(kThreads) scale_rows_kernel(const VocabularyLoss loss) {
  wait_for_previous_grid();
  __shared__ float sums[kWarps][kPacks * kChunk];
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
// parts; of exponentials, ones, by the blocks after them.
__global__ void __launch_bounds__(kThreads) more_rows_kernel(const VocabularyLoss loss) {
  wait_for_previous_grid();
  const auto depth = static_cast<int>(loss.x.cols);
  const int own = (depth + kLanes - 1) / kLanes;
  const auto block = static_cast<int>(blockIdx.x);
  if (block >= own) {
    const int first = (block - own) * kThreads + static_cast<int>(threadIdx.x);
    for (std::int64_t c = first; c < loss.exponentials.stride; c += (gridDim.x - own) * kThreads) {
      for (int more = 0; more < kVocabularyMoreRows; ++more) {
        loss.exponentials.row(loss.rows + more)[c] =
            from_float<bf16>(c < loss.exponentials.cols ? 1.0F : 0.0F);
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
    sum *= -loss.smoothing / static_cast<float>(loss.exponentials.cols);
    const bf16 most = from_float<bf16>(sum);
    for (int more = 0; more < kVocabularyMoreRows; ++more) {
      loss.scaled.row(loss.rows + more)[column] = more == 0 ? most
                                                  : more == 1
                                                      ? from_float<bf16>(sum - to_float(most))
                                                      : from_float<bf16>(0.0F);
    }
  }
}

// dx = f (u' E) - s ε/V Σ_j E_j: a warp to a row.
__global__ void __launch_bounds__(kThreads) finish_states_kernel(const VocabularyLoss loss) {
  wait_for_previous_grid();
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (row >= loss.rows) {
    return;
  }
  const float factor = loss.factors[row];
  const float spread =
      -loss.row_scale[row] * loss.smoothing / static_cast<float>(loss.exponentials.cols);
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
