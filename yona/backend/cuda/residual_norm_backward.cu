// The gradients of residual + dropout + layer norm. A warp takes every (grid · 8)th row, keeps the
// row in registers, and adds up its share of the weight's and bias' gradients as it goes; blocks
// then leave one row of partial sums each, which are added in a fixed order.

#include <algorithm>

#include "yona/backend/cuda/column_sums.h"
#include "yona/backend/cuda/dropout.cuh"
#include "yona/backend/cuda/norm_backward.cuh"
#include "yona/backend/cuda/registration.h"

namespace yona::cuda {

namespace {

template <class T>
struct NormBackward {
  Rows<T> s, dy, ds, dx, dr;
  Rows<float> weight, statistics;
  std::int64_t rows = 0;
  const std::uint64_t* row_keys = nullptr;
  Dropout dropout{};
  bool accumulate_dx = false, accumulate_dr = false;
  float* dweight = nullptr;  // [blocks, d] partial sums, each optional
  float* dbias = nullptr;
};

template <class T, int kChunks, bool kWhole>
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
      load_pack<kWhole>(n.s, row, channel, normal[k]);
      load_pack<kWhole>(n.dy, row, channel, g[k]);
      load_pack<kWhole>(n.weight, 0, channel, weight);
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
        load_pack<kWhole>(n.ds, row, channel, ds);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          total[i] += ds[i];
        }
      }
      float dr[kPack];
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        dr[i] = total[i];
      }
      if (n.dx.there()) {
        put<kWhole>(n.dx, row, channel, total, n.accumulate_dx);
      }
      if (n.dr.there()) {  // after dx, which may be the same memory
        if (n.dropout.threshold != 0) {
          drop(n.dropout, n.row_keys[row], k * kChunk, lane, dr);
        }
        put<kWhole>(n.dr, row, channel, dr, n.accumulate_dr);
      }
    }
  }
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

void residual_norm_backward(const ResidualNormBackwardArgs& args, Exec& exec) {
  const ResidualNormArgs& forward = args.forward;
  const std::int64_t rows = args.dy.rows;
  const std::int64_t d = args.dy.cols;
  if (rows * d == 0) {
    return;
  }
  const cudaStream_t stream = stream_of(exec);
  const std::int64_t blocks = std::min<std::int64_t>(blocks_for(rows, kWarps), kMostNormBlocks);
  Scratch& scratch = exec_of(exec).scratch;
  scratch.begin(2 * Scratch::size_for<float>(blocks * d), stream);
  float* dweight = args.dweight ? scratch.take<float>(blocks * d) : nullptr;
  float* dbias = args.dbias ? scratch.take<float>(blocks * d) : nullptr;
  with_type(args.dy.dtype, "residual_norm_backward", [&](auto t) {
    using T = decltype(t);
    const auto optional = [](const View& view) { return view ? rows_of<T>(view) : Rows<T>{}; };
    const NormBackward<T> norm{rows_of<T>(forward.r ? forward.s : forward.x),
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
                               dbias};
    const bool aligned = whole_packs(norm.s, norm.dy, norm.ds, norm.dx, norm.dr, norm.weight);
    with_chunks<T>(d, aligned, "residual_norm_backward", [&](auto chunks, auto whole) {
      residual_norm_backward_kernel<T, decltype(chunks)::value, decltype(whole)::value>
          <<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(norm);
    });
  });
  check_launch("residual_norm_backward");
  add_column_sums({dweight, args.dweight ? args.dweight.row<float>(0) : nullptr},
                  {dbias, args.dbias ? args.dbias.row<float>(0) : nullptr}, blocks, d, stream);
}

const Registration registration([](Kernels& table) {
  table.residual_norm_backward = residual_norm_backward;
});

}  // namespace
}  // namespace yona::cuda
