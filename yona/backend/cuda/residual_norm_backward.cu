// The gradients of residual + dropout + layer norm. A warp takes every (grid · 8)th row, keeps the
// row in registers, and adds up its share of the weight's and bias' gradients as it goes; blocks
// then leave one row of partial sums each, which are added in a fixed order.
//
// Rows of up to 2,048 channels in whole packs come through rings of shared memory
// (norm/backward_ring.cuh), and Σ dr is added up on the way; all others are here.

#include <algorithm>

#include "yona/backend/cuda/norm/backward_ring.cuh"
#include "yona/backend/cuda/norm/column_sums.h"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

// What comes of d/ds of chunk k of a row: dx and dr.
template <class T>
__device__ void put_chunk(const NormBackward<T>& n, std::int64_t row, int k,
                          float (&total)[kPack]) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t channel = k * kChunk + lane * kPack;
  float dr[kPack];
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    dr[i] = total[i];
  }
  if (n.dx.there()) {
    put<false>(n.dx, row, channel, total, n.accumulate_dx);
  }
  if (n.dr.there()) {  // after dx, which may be the same memory
    if (n.dropout.threshold != 0) {
      drop(n.dropout, n.row_keys[row], k * kChunk, lane, dr);
    }
    put<false>(n.dr, row, channel, dr, n.accumulate_dr);
  }
}

template <class T, int kChunks>
__device__ void leave_partials(const NormBackward<T>& n, const float (&dweight)[kChunks][kPack],
                               const float (&dbias)[kChunks][kPack]) {
  const std::int64_t d = n.dy.cols;
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    if (k * kChunk < d) {
      if (n.dweight != nullptr) {
        write_partials(dweight[k], k, d, n.dweight);
      }
      if (n.dbias != nullptr) {
        write_partials(dbias[k], k, d, n.dbias);
      }
    }
  }
}

template <class T, int kChunks>
__global__ void __launch_bounds__(kThreads, kChunks <= 2 ? 3 : 1)
    residual_norm_backward_kernel(NormBackward<T> n) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t d = n.dy.cols;
  const std::int64_t first_row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  float dweight[kChunks][kPack] = {};
  float dbias[kChunks][kPack] = {};
  for (std::int64_t row = first_row; row < n.rows; row += gridDim.x * kWarps) {
    const float mean = n.statistics.row(row)[0];
    const float rstd = n.statistics.row(row)[1];
    float normal[kChunks][kPack];  // x̂
    float g[kChunks][kPack];       // dy ∘ weight
    float sum_g = 0.0F;
    float sum_gx = 0.0F;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t channel = k * kChunk + lane * kPack;
      float weight[kPack];
      load_pack<false>(n.s, row, channel, normal[k]);
      load_pack<false>(n.dy, row, channel, g[k]);
      load_pack<false>(n.weight, 0, channel, weight);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        normal[k][i] = (normal[k][i] - mean) * rstd;
        dweight[k][i] += g[k][i] * normal[k][i];  // dy is zero beyond the row
        dbias[k][i] += g[k][i];
        g[k][i] *= weight[i];
        sum_g += g[k][i];
        sum_gx += g[k][i] * normal[k][i];
      }
    }
    const float mean_g = warp_sum(sum_g) / static_cast<float>(d);
    const float mean_gx = warp_sum(sum_gx) / static_cast<float>(d);
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t channel = k * kChunk + lane * kPack;
      float total[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        total[i] = rstd * (g[k][i] - mean_g - normal[k][i] * mean_gx);
      }
      if (n.ds.there()) {
        float ds[kPack];
        load_pack<false>(n.ds, row, channel, ds);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          total[i] += ds[i];
        }
      }
      put_chunk(n, row, k, total);
    }
  }
  leave_partials(n, dweight, dbias);
}

// Calls function(ring), a value of the NormRing that rows of d channels come through. Widths that
// models have are rings of their own, with the gradient of another path and without.
template <class T, class Function>
void with_ring(std::int64_t d, bool ds, const Function& function) {
  const auto with_chunks = [&](auto chunks, auto parts) {
    constexpr int kChunks = decltype(chunks)::value;
    constexpr int kParts = decltype(parts)::value;
    if constexpr (std::is_same_v<T, bf16> || kChunks == 2) {
      if (d == kParts * kChunks * kChunk) {
        if (ds) {
          function(NormRing<T, kChunks, kParts, true, true>{});
        } else {
          function(NormRing<T, kChunks, kParts, true, false>{});
        }
        return;
      }
    }
    function(NormRing<T, kChunks, kParts, false, true>{});
  };
  constexpr std::integral_constant<int, 1> kOne{};
  if (d <= kChunk) {
    with_chunks(kOne, kOne);
  } else if (d <= 2 * kChunk) {
    with_chunks(std::integral_constant<int, 2>{}, kOne);
  } else if (d <= 3 * kChunk) {
    with_chunks(std::integral_constant<int, 3>{}, kOne);
  } else if (d <= 4 * kChunk) {
    with_chunks(std::integral_constant<int, 4>{}, kOne);
  } else {
    with_chunks(std::integral_constant<int, 4>{}, std::integral_constant<int, 2>{});
  }
}

// Whole packs, not too wide. `limit` is the shared memory that a block may have; a row has a ring
// with the gradient of another path and without, or never.
template <class T>
bool has_ring(const NormBackward<T>& n, int limit) {
  bool fits = n.dy.cols <= 8 * kChunk && whole_packs(n.s, n.dy, n.ds, n.dx, n.dr, n.weight);
  if (fits) {
    with_ring<T>(n.dy.cols, true,
                 [&](auto ring) { fits = NormRingOf<decltype(ring)>::kBytes <= limit; });
  }
  return fits;
}

// Changes `blocks`, of which each leaves partial sums, to how many there are.
template <class Shape>
void launch_ring(const NormBackward<typename Shape::T>& norm, std::int64_t& blocks,
                 cudaStream_t stream) {
  constexpr int kRows = Shape::kBlockWarps / Shape::kParts;
  constexpr int kBytes = NormRingOf<Shape>::kBytes;
  constexpr int kBlockThreads = Shape::kBlockWarps * kLanes;
  const auto kernel = norm_backward_ring_kernel<Shape>;
  blocks = std::min({blocks, std::int64_t{blocks_for(norm.rows, kRows)}, Shape::kMostBlocks});
  allow_shared(kernel, static_cast<std::size_t>(kBytes));
  if (norm.rows >= kManyRows) {
    launch_dependent(kernel, {static_cast<unsigned>(blocks), kBlockThreads, kBytes}, stream,
                     "residual_norm_backward", norm);
  } else {
    kernel<<<static_cast<unsigned>(blocks), kBlockThreads, kBytes, stream>>>(norm);
  }
}

void residual_norm_backward(const ResidualNormBackwardArgs& args, Exec& exec) {
  const ResidualNormArgs& forward = args.forward;
  const std::int64_t rows = args.dy.rows;
  const std::int64_t d = args.dy.cols;
  if (rows * d == 0) {
    return;
  }
  const cudaStream_t stream = stream_of(exec);
  // Two warps share a row that is wider than four chunks.
  const int block_rows = d <= 4 * kChunk ? kWarps : kWarps / 2;
  std::int64_t blocks = std::min<std::int64_t>(blocks_for(rows, block_rows), kMostNormBlocks);
  PendingSums& sums = exec_of(exec).sums;
  sums.begin(3 * blocks * d, stream);
  float* dweight = args.dweight ? sums.take(blocks * d) : nullptr;
  float* dbias = args.dbias ? sums.take(blocks * d) : nullptr;
  float* dr_sums = nullptr;  // of rows that have rings; others are read again
  with_type(args.dy.dtype, "residual_norm_backward", [&](auto t) {
    using T = decltype(t);
    const auto optional = [](const View& view) { return view ? rows_of<T>(view) : Rows<T>{}; };
    NormBackward<T> norm{rows_of<T>(forward.r ? forward.s : forward.x),
                         rows_of<T>(args.dy),
                         optional(args.ds),
                         optional(args.dx),
                         optional(args.dr),
                         rows_of<float>(forward.weight),
                         rows_of<float>(forward.statistics),
                         rows,
                         forward.row_keys,
                         forward.dropout,
                         args.accumulate_dx,
                         args.accumulate_dr,
                         dweight,
                         dbias,
                         nullptr};
    if (has_ring(norm, shared_memory_limit())) {
      norm.dr_sums = dr_sums = args.dr_sums ? sums.take(blocks * d) : nullptr;
      with_ring<T>(d, norm.ds.there(),
                   [&](auto ring) { launch_ring<decltype(ring)>(norm, blocks, stream); });
      return;
    }
    with_chunks<T>(d, false, "residual_norm_backward", [&](auto chunks, auto /*whole*/) {
      residual_norm_backward_kernel<T, decltype(chunks)::value>
          <<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(norm);
    });
  });
  check_launch("residual_norm_backward");
  const auto out = [](const View& view) { return view ? view.row<float>(0) : nullptr; };
  sums.add({{dweight, out(args.dweight), blocks, d},
            {dbias, out(args.dbias), blocks, d},
            {dr_sums, dr_sums != nullptr ? out(args.dr_sums) : nullptr, blocks, d}},
           stream);
  if (args.dr_sums && dr_sums == nullptr) {
    add_rows(args.dr, args.dr_sums, exec);
  }
}

const Registration registration([](Kernels& table) {
  table.residual_norm_backward = residual_norm_backward;
  table.residual_norm_backward.gradient_sums = GradientSums::yes;
});

}  // namespace
}  // namespace yona::cuda
