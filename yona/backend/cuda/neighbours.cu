// The neighbours of each token, side by side: a warp copies a chunk of one neighbour. The
// gradient of a token is a sum over the rows that it is a neighbour of: a warp takes a chunk of it.

#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

struct Windows {
  const std::int32_t* positions;
  std::int64_t rows, width, dilation, first;

  // Row t + distance, if it is in t's sentence; else -1.
  __device__ std::int64_t neighbour(std::int64_t t, std::int64_t distance) const {
    const std::int64_t u = t + distance;
    return u >= 0 && u < rows && positions[u] - positions[t] == distance ? u : -1;
  }
};

Windows windows_of(const NeighboursArgs& args, std::int64_t rows) {
  return {args.positions, rows, args.width, args.dilation, args.first};
}

// Rows of y as a matrix of width · rows, one for each neighbour.
template <class T>
__global__ void __launch_bounds__(kThreads)
    neighbours_kernel(Rows<T> x, Rows<T> y, Windows windows) {
  const Place at = place_of_warp(windows.rows * windows.width, x.cols);
  if (!at.there) {
    return;
  }
  const std::int64_t t = at.row / windows.width;
  const std::int64_t k = at.row % windows.width;
  const std::int64_t u = windows.neighbour(t, windows.first + k * windows.dilation);
  float v[kPack] = {};
  if (u >= 0) {
    x.load(u, at.channel, v);
  }
  Rows<T> part = y;
  part.data += k * x.cols;
  part.cols = x.cols;
  part.vector = y.vector && x.cols % kPack == 0;
  part.store(t, at.channel, v);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    neighbours_backward_kernel(Rows<T> dy, Rows<T> dx, Windows windows, bool accumulate) {
  const Place at = place_of_warp(windows.rows, dx.cols);
  if (!at.there) {
    return;
  }
  float sum[kPack] = {};
  for (std::int64_t k = 0; k < windows.width; ++k) {
    const std::int64_t u = windows.neighbour(at.row, -windows.first - k * windows.dilation);
    if (u >= 0) {
      Rows<T> part = dy;
      part.data += k * dx.cols;
      part.cols = dx.cols;
      part.vector = dy.vector && dx.cols % kPack == 0;
      float v[kPack];
      part.load(u, at.channel, v);
#pragma unroll
      for (int i = 0; i < kPack; ++i) {
        sum[i] += v[i];
      }
    }
  }
  dx.put(at.row, at.channel, sum, accumulate);
}

void neighbours(const NeighboursArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "neighbours", [&](auto t) {
    using T = decltype(t);
    const unsigned blocks =
        blocks_for(args.x.rows * args.width * ((args.x.cols + kChunk - 1) / kChunk), kWarps);
    neighbours_kernel<T><<<blocks, kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), rows_of<T>(args.y), windows_of(args, args.x.rows));
  });
  check_launch("neighbours");
}

void neighbours_backward(const NeighboursBackwardArgs& args, Exec& exec) {
  if (args.dx.rows * args.dx.cols == 0) {
    return;
  }
  with_type(args.dx.dtype, "neighbours_backward", [&](auto t) {
    using T = decltype(t);
    neighbours_backward_kernel<T><<<blocks_of_packs(args.dx), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.dy), rows_of<T>(args.dx), windows_of(args.forward, args.dx.rows),
        args.accumulate);
  });
  check_launch("neighbours_backward");
}

const Registration registration([](Kernels& table) {
  table.neighbours = neighbours;
  table.neighbours_backward = neighbours_backward;
});

}  // namespace
}  // namespace yona::cuda
