// The gradient behind a bias and an activation: dy ∘ [y > 0] in place, and its column sums.
//
// A block takes 256 columns of a slice of rows; each warp every eighth row of it, eight columns to
// a lane. The slices depend on the number of rows alone.

#include <algorithm>

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/norm/column_sums.h"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T>
struct Gradient {
  Rows<T> y, dy;
  float* partials = nullptr;  // [slices, cols], or nothing
  std::int64_t rows = 0;
  std::int64_t slice_rows = 0;
  float scale = 1.0F;
};

// The sums of the block's warps, added in order.
__device__ void write_partials(const float (&sums)[kPack], std::int64_t first, std::int64_t cols,
                               float* partials) {
  __shared__ float parts[kWarps][kChunk];
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    parts[warp][lane * kPack + i] = sums[i];
  }
  __syncthreads();
  const std::int64_t column = first + threadIdx.x;
  if (column < cols) {
    float total = 0.0F;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      total += parts[w][threadIdx.x];
    }
    partials[blockIdx.y * cols + column] = total;
  }
}

// A warp reads kAtOnce rows before it uses them.
template <class T, bool kRelu, bool kExact>
__global__ void __launch_bounds__(kThreads, 4) bias_activation_backward_kernel(Gradient<T> g) {
  constexpr int kAtOnce = kRelu ? 4 : 8;
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kChunk;
  const std::int64_t channel = first + lane * kPack;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.y) * g.slice_rows;
  const std::int64_t end = channel < g.dy.cols ? min(begin + g.slice_rows, g.rows) : 0;
  float sums[kPack] = {};
  for (std::int64_t row = begin + warp; row < end; row += kWarps * kAtOnce) {
    Raw<T> dy[kAtOnce];
    Raw<T> y[kRelu ? kAtOnce : 1];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      const std::int64_t r = min(row + k * kWarps, end - 1);  // the last one again: not counted
      dy[k] = read_raw<kExact>(g.dy, r, channel);
      if constexpr (kRelu) {
        y[k] = read_raw<kExact>(g.y, r, channel);
      }
    }
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
      if (row + k * kWarps >= end) {
        break;
      }
      float v[kPack];
      unpack(dy[k], v);
      if constexpr (kRelu) {
        float open[kPack];
        unpack(y[k], open);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          v[i] = open[i] > 0.0F ? v[i] * g.scale : 0.0F;
        }
        store_pack<kExact>(g.dy, row + k * kWarps, channel, v);
      }
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        sums[i] += v[i];
      }
    }
  }
  if (g.partials != nullptr) {
    write_partials(sums, first, g.dy.cols, g.partials);
  }
}

template <class T, bool kRelu>
void launch(const Gradient<T>& gradient, dim3 grid, cudaStream_t stream) {
  if (whole_packs(gradient.dy, gradient.y)) {
    bias_activation_backward_kernel<T, kRelu, true><<<grid, kThreads, 0, stream>>>(gradient);
  } else {
    bias_activation_backward_kernel<T, kRelu, false><<<grid, kThreads, 0, stream>>>(gradient);
  }
}

void bias_activation_backward(const BiasActivationBackwardArgs& args, Exec& exec) {
  const std::int64_t rows = args.dy.rows;
  const std::int64_t cols = args.dy.cols;
  if (rows * cols == 0) {
    return;
  }
  const std::int64_t slice_rows = std::max<std::int64_t>(64, (rows + 255) / 256);
  const unsigned slices = blocks_for(rows, slice_rows);
  PendingSums& sums = exec_of(exec).sums;
  sums.begin(args.bias_gradient ? slices * cols : 0, stream_of(exec));
  float* partials = args.bias_gradient ? sums.take(slices * cols) : nullptr;
  with_type(args.dy.dtype, "bias_activation_backward", [&](auto t) {
    using T = decltype(t);
    const bool relu = args.activation == Activation::relu;
    const Gradient<T> gradient{relu ? rows_of<T>(args.y) : Rows<T>{},
                               rows_of<T>(args.dy),
                               partials,
                               rows,
                               slice_rows,
                               args.scale};
    const dim3 grid(blocks_for(cols, kChunk), slices);
    if (relu) {
      launch<T, true>(gradient, grid, stream_of(exec));
    } else {
      launch<T, false>(gradient, grid, stream_of(exec));
    }
  });
  check_launch("bias_activation_backward");
  if (partials != nullptr) {
    sums.add({{partials, args.bias_gradient.row<float>(0), slices, cols}}, stream_of(exec));
  }
}

const Registration registration([](Kernels& table) {
  table.bias_activation_backward = bias_activation_backward;
});

}  // namespace

void add_rows(const View& rows, const View& out, Exec& exec) {
  bias_activation_backward({.y = {}, .dy = rows, .bias_gradient = out}, exec);
}

}  // namespace yona::cuda
