// The gradient behind a bias and an activation: dy ∘ [y > 0] in place, and its column sums.
//
// A block takes 256 columns of a slice of rows; each warp every eighth row of it, eight columns to
// a lane. The slices depend on the number of rows alone.

#include <algorithm>

#include "yona/backend/cuda/column_sums.h"
#include "yona/backend/cuda/registration.h"
#include "yona/backend/cuda/rows.cuh"

namespace yona::cuda {

namespace {

template <class T>
struct Gradient {
  Rows<T> y, dy;
  float* partials = nullptr;  // [slices, cols], or nothing
  std::int64_t rows = 0;
  std::int64_t slice_rows = 0;
  bool relu = false;
  float scale = 1.0F;
};

template <class T>
__global__ void __launch_bounds__(kThreads) bias_activation_backward_kernel(Gradient<T> g) {
  __shared__ float parts[kWarps][kChunk];
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kChunk;
  const std::int64_t channel = first + lane * kPack;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.y) * g.slice_rows;
  const std::int64_t end = min(begin + g.slice_rows, g.rows);
  float sums[kPack] = {};
  for (std::int64_t row = begin + warp; row < end; row += kWarps) {
    float dy[kPack];
    g.dy.load(row, channel, dy);
    if (g.relu) {
      float y[kPack];
      g.y.load(row, channel, y);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        dy[i] = y[i] > 0.0F ? rounded<T>(dy[i] * g.scale) : 0.0F;
      }
      g.dy.store(row, channel, dy);
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      sums[i] += dy[i];
    }
  }
  if (g.partials == nullptr) {
    return;
  }
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    parts[warp][lane * kPack + i] = sums[i];
  }
  __syncthreads();
  const std::int64_t column = first + threadIdx.x;
  if (column < g.dy.cols) {
    float total = 0.0F;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      total += parts[w][threadIdx.x];
    }
    g.partials[blockIdx.y * g.dy.cols + column] = total;
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
  Scratch& scratch = exec_of(exec).scratch;
  scratch.begin(Scratch::size_for<float>(slices * cols), stream_of(exec));
  float* partials = args.bias_gradient ? scratch.take<float>(slices * cols) : nullptr;
  with_type(args.dy.dtype, "bias_activation_backward", [&](auto t) {
    using T = decltype(t);
    const bool relu = args.activation == Activation::relu;
    const Gradient<T> gradient{relu ? rows_of<T>(args.y) : Rows<T>{},
                               rows_of<T>(args.dy),
                               partials,
                               rows,
                               slice_rows,
                               relu,
                               args.scale};
    const dim3 grid(blocks_for(cols, kChunk), slices);
    bias_activation_backward_kernel<<<grid, kThreads, 0, stream_of(exec)>>>(gradient);
  });
  check_launch("bias_activation_backward");
  if (partials != nullptr) {
    add_column_sums(partials, slices, cols, args.bias_gradient.row<float>(0), stream_of(exec));
  }
}

const Registration registration([](Kernels& table) {
  table.bias_activation_backward = bias_activation_backward;
});

}  // namespace
}  // namespace yona::cuda
