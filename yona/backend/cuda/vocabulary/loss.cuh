// The loss over a vocabulary without a pass over its logits.
//
// With l the logits of a row, t its target, r a number near the largest of them and
// u_j = exp(l_j - r) / c, which the product itself writes (vocabulary/product.cuh, or for more than
// 512 channels vocabulary/product_deep.cuh), p_j = u_j / Σ u and -log p_t = log Σ u + log c + r -
// l_t. The gradient of the row's loss,
//   dl_j = s (p_j - ε/V - (1-ε) [j = t]) = f (u_j - [j = t] (1-ε) Σ u) - s ε/V   with f = s / Σ u,
// is a factor of the row times something that differs from u at the target alone: so one element of
// each row is replaced, and the factor is applied to the small sides of the products:
//   dx = f (u' E) - s ε/V Σ_j E_j,      dE = u'ᵀ (f x) - 1 (ε/V Σ_rows s x)ᵀ.
// The last term of dE is two more rows of that product, of ones in u' and of the sum in f x: what
// bf16 has of it, and the rest. Σ_j l_j, which smoothed losses ask for, is x · Σ_j E_j.
//
// r is l_t: known before the product, and never above the largest. It does where Σ u stays below
// kVocabularyTooMuch, which is to say for losses of up to 96 (a factor of 2^139). Rows beyond,
// which training hardly meets, are seen by their sums and done again, slowly, with r the largest of
// them.
#pragma once

#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/vocabulary/epilogue.cuh"
#include "yona/backend/vocabulary_args.h"

namespace yona::cuda {

// Kernels that keep rows of states have kPacks of them to a lane: depth ≤ kPacks · kChunk.
struct VocabularyLoss {
  static constexpr int kRowsOfBlock = 32;

  Rows<bf16> x;             // [rows, depth]
  Rows<bf16> table;         // [V or more, depth]
  Rows<bf16> exponentials;  // [rows and more, V]
  const std::int32_t* targets = nullptr;
  const float* row_scale = nullptr;
  const float* table_sums = nullptr;  // [depth]: Σ_j E_j; null without smoothing
  float* target_logits = nullptr;     // [rows]
  float* logit_sums = nullptr;        // [rows]: Σ_j l_j
  float* factors = nullptr;           // [rows]: f
  float* slices = nullptr;            // [slice_count, rows]: Σ u of 128 columns
  int slice_count = 0;
  int rows = 0;
  Rows<float> losses;          // [rows, 2]
  Rows<bf16> scaled;           // [rows and more, depth]: f x
  float* parts = nullptr;      // [⌈rows / kRowsOfBlock⌉, depth]: Σ s x of a block's rows
  Rows<float> state_products;  // [rows, depth]: u' E
  Rows<bf16> dx;               // [rows, depth]
  float smoothing = 0.0F;
  bool accumulate = false;  // into dx
};

// l_t and Σ_j l_j: a warp to a row.
__global__ void __launch_bounds__(kThreads) target_logits_kernel(const VocabularyLoss loss) {
  wait_for_previous_grid();
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

struct RowOfExponentials {
  float shift = 0.0F;  // r
  float sum = 0.0F;
};

// Exponentials of a row once more, with its largest logit for r: by one block, in two passes over
// the table, which together take it about half a millisecond of 512 channels. Warps share the
// columns.
template <int kPacks>
__device__ __noinline__ RowOfExponentials redo_row(const VocabularyLoss& loss, std::int64_t row) {
  __shared__ float of_warps[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  // Whole packs: widths are multiples of theirs.
  const auto load = [&](const Rows<bf16>& from, std::int64_t of, int k, float(&v)[kPack]) {
    const int c = k * kChunk + lane * kPack;
    if (c < from.cols) {
      load8(from.row(of) + c, v);
      return;
    }
#pragma unroll
    for (float& value : v) {
      value = 0.0F;
    }
  };
  float x[kPacks][kPack];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    load(loss.x, row, k, x[k]);
  }
  const auto logit = [&](std::int64_t column) {
    float sum = 0.0F;
#pragma unroll
    for (int k = 0; k < kPacks; ++k) {
      float e[kPack];
      load(loss.table, column, k, e);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        sum += x[k][i] * e[i];
      }
    }
    return warp_sum(sum);
  };
  const auto of_block = [&](float mine, auto combine) {
    __syncthreads();  // earlier reads of of_warps are over
    if (lane == 0) {
      of_warps[warp] = mine;
    }
    __syncthreads();
    float all = of_warps[0];
    for (int w = 1; w < kWarps; ++w) {
      all = combine(all, of_warps[w]);
    }
    return all;
  };
  RowOfExponentials done;
  float largest = -INFINITY;
#pragma unroll(8 / kPacks)
  for (std::int64_t column = warp; column < loss.exponentials.cols; column += kWarps) {
    largest = fmaxf(largest, logit(column));
  }
  done.shift = of_block(largest, [](float a, float b) { return fmaxf(a, b); });
  bf16* exponentials = loss.exponentials.row(row);
  float sum = 0.0F;
#pragma unroll(8 / kPacks)
  for (std::int64_t column = warp; column < loss.exponentials.cols; column += kWarps) {
    const float u = exp2_fast((logit(column) - done.shift) * kLog2E - kVocabularyScale);
    sum += u;
    if (lane == 0) {
      exponentials[column] = from_float<bf16>(u);
    }
  }
  done.sum = of_block(sum, [](float a, float b) { return a + b; });
  return done;
}

// 32 rows to a block, one to each lane; its warps share the slices, whose sums are added in order.
template <int kPacks>
__global__ void __launch_bounds__(kThreads)
    exponential_losses_kernel(const __grid_constant__ VocabularyLoss loss) {
  __shared__ float parts[kWarps][kLanes];
  wait_for_previous_grid();
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int first = static_cast<int>(blockIdx.x) * kLanes;
  const int row = first + lane;
  const bool there = row < loss.rows;
  float sum = 0.0F;
  if (there) {
#pragma unroll 8
    for (int slice = warp; slice < loss.slice_count; slice += kWarps) {
      sum += loss.slices[static_cast<std::int64_t>(slice) * loss.rows + row];
    }
  }
  parts[warp][lane] = sum;
  __syncthreads();
  RowOfExponentials own{there ? loss.target_logits[row] : 0.0F, parts[0][lane]};
#pragma unroll
  for (int w = 1; w < kWarps; ++w) {
    own.sum += parts[w][lane];
  }
  // All warps have the same 32 sums: rows with NaN are not computed again.
  for (unsigned left = __ballot_sync(0xFFFFFFFFU, own.sum >= kVocabularyTooMuch); left != 0;
       left &= left - 1) {
    const int other = __ffs(static_cast<int>(left)) - 1;
    const RowOfExponentials done = redo_row<kPacks>(loss, first + other);
    own = lane == other ? done : own;
  }
  __syncthreads();
  if (warp != 0 || !there) {
    return;
  }
  constexpr float kScale = kVocabularyScale * 0.6931471805599453F;  // log c
  const float above = loss.target_logits[row] - own.shift;          // l_t - r: 0, or less
  const float nll = logf(own.sum) + kScale - above;
  const float log_sum = loss.target_logits[row] + nll;
  const float mean =
      loss.smoothing > 0
          ? loss.logit_sums[row] / static_cast<float>(loss.exponentials.cols) - log_sum
          : 0.0F;
  float* out = loss.losses.row(row);
  // l_t and Σ u are of two sums of products: the loss of a row that is sure could be -1e-6.
  out[1] = nll < 0.0F ? 0.0F : nll;
  out[0] = (1.0F - loss.smoothing) * out[1] - loss.smoothing * mean;
  const float u_t = exp2f(above * kLog2E - kVocabularyScale);
  loss.exponentials.row(row)[loss.targets[row]] =
      from_float<bf16>(u_t - (1.0F - loss.smoothing) * own.sum);
  loss.factors[row] = loss.row_scale[row] / own.sum;
}

}  // namespace yona::cuda
