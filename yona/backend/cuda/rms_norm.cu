// Normalisation by the root of the mean square alone (Zhang and Sennrich 2019), and its gradients:
// a warp takes a row and keeps it in registers.

#include <algorithm>

#include "yona/backend/cuda/norm/backward.cuh"
#include "yona/backend/cuda/norm/column_sums.h"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

template <class T>
struct RmsNorm {
  Rows<T> x, y;
  Rows<float> weight, statistics;
  std::int64_t rows = 0;
  float epsilon = 0.0F;
};

template <class T, int kChunks, bool kExact>
__global__ void __launch_bounds__(kThreads) rms_norm_kernel(RmsNorm<T> n) {
  const std::int64_t row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (row >= n.rows) {
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  float x[kChunks][kPack];
  float squares = 0.0F;
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    load_pack<kExact>(n.x, row, k * kChunk + lane * kPack, x[k]);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      squares += x[k][i] * x[k][i];  // zero beyond the row
    }
  }
  const float rstd = rsqrtf(warp_sum(squares) / static_cast<float>(n.x.cols) + n.epsilon);
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    const std::int64_t channel = k * kChunk + lane * kPack;
    float weight[kPack];
    load_pack<kExact>(n.weight, 0, channel, weight);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      x[k][i] *= rstd * weight[i];
    }
    store_pack<kExact>(n.y, row, channel, x[k]);
  }
  if (lane == 0) {
    n.statistics.row(row)[0] = rstd;
  }
}

template <class T>
struct RmsNormBackward {
  Rows<T> x, dy, dx;
  Rows<float> weight, statistics;
  std::int64_t rows = 0;
  bool accumulate_dx = false;
  float* dweight = nullptr;  // [blocks, d] partial sums, optional
};

// g = dy ∘ weight, x̂ = x · rstd:  dx (+)= rstd · (g - x̂ · mean(g ∘ x̂));  dweight += Σ dy ∘ x̂
template <class T, int kChunks, bool kExact>
__global__ void __launch_bounds__(kThreads) rms_norm_backward_kernel(RmsNormBackward<T> n) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t d = n.dy.cols;
  const std::int64_t first_row =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  float dweight[kChunks][kPack] = {};
  for (std::int64_t row = first_row; row < n.rows; row += gridDim.x * kWarps) {
    const float rstd = n.statistics.row(row)[0];
    float normal[kChunks][kPack];  // x̂
    float g[kChunks][kPack];
    float sum_gx = 0.0F;
#pragma unroll
    for (int k = 0; k < kChunks; ++k) {
      const std::int64_t channel = k * kChunk + lane * kPack;
      float weight[kPack];
      load_pack<kExact>(n.x, row, channel, normal[k]);
      load_pack<kExact>(n.dy, row, channel, g[k]);
      load_pack<kExact>(n.weight, 0, channel, weight);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        normal[k][i] *= rstd;
        dweight[k][i] += g[k][i] * normal[k][i];
        g[k][i] *= weight[i];
        sum_gx += g[k][i] * normal[k][i];
      }
    }
    const float mean_gx = warp_sum(sum_gx) / static_cast<float>(d);
    if (n.dx.there()) {
#pragma unroll
      for (int k = 0; k < kChunks; ++k) {
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          g[k][i] = rstd * (g[k][i] - normal[k][i] * mean_gx);
        }
        put<kExact>(n.dx, row, k * kChunk + lane * kPack, g[k], n.accumulate_dx);
      }
    }
  }
#pragma unroll
  for (int k = 0; k < kChunks; ++k) {
    if (k * kChunk < d && n.dweight != nullptr) {
      write_partials(dweight[k], k, d, n.dweight);
    }
  }
}

void rms_norm(const RmsNormArgs& args, Exec& exec) {
  if (args.x.rows * args.x.cols == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "rms_norm", [&](auto t) {
    using T = decltype(t);
    const RmsNorm<T> norm{rows_of<T>(args.x),
                          rows_of<T>(args.y),
                          rows_of<float>(args.weight),
                          rows_of<float>(args.statistics),
                          args.x.rows,
                          args.epsilon};
    const bool aligned = whole_packs(norm.x, norm.y, norm.weight);
    with_chunks<T>(args.x.cols, aligned, "rms_norm", [&](auto chunks, auto whole) {
      rms_norm_kernel<T, decltype(chunks)::value, decltype(whole)::value>
          <<<blocks_for(args.x.rows, kWarps), kThreads, 0, stream_of(exec)>>>(norm);
    });
  });
  check_launch("rms_norm");
}

void rms_norm_backward(const RmsNormBackwardArgs& args, Exec& exec) {
  const std::int64_t rows = args.dy.rows;
  const std::int64_t d = args.dy.cols;
  if (rows * d == 0) {
    return;
  }
  const cudaStream_t stream = stream_of(exec);
  const std::int64_t blocks = std::min<std::int64_t>(blocks_for(rows, kWarps), kMostNormBlocks);
  PendingSums& sums = exec_of(exec).sums;
  sums.begin(blocks * d, stream);
  float* dweight = args.dweight ? sums.take(blocks * d) : nullptr;
  with_type(args.dy.dtype, "rms_norm_backward", [&](auto t) {
    using T = decltype(t);
    const RmsNormBackward<T> norm{rows_of<T>(args.forward.x),
                                  rows_of<T>(args.dy),
                                  args.dx ? rows_of<T>(args.dx) : Rows<T>{},
                                  rows_of<float>(args.forward.weight),
                                  rows_of<float>(args.forward.statistics),
                                  rows,
                                  args.accumulate_dx,
                                  dweight};
    const bool aligned = whole_packs(norm.x, norm.dy, norm.dx, norm.weight);
    with_chunks<T>(d, aligned, "rms_norm_backward", [&](auto chunks, auto whole) {
      rms_norm_backward_kernel<T, decltype(chunks)::value, decltype(whole)::value>
          <<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(norm);
    });
  });
  check_launch("rms_norm_backward");
  if (dweight != nullptr) {
    sums.add({{dweight, args.dweight.row<float>(0), blocks, d}}, stream);
  }
}

const Registration registration([](Kernels& table) {
  table.rms_norm = rms_norm;
  table.rms_norm_backward = rms_norm_backward;
});

}  // namespace
}  // namespace yona::cuda
