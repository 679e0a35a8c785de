// GELU (Hendrycks and Gimpel 2016), exact: x Φ(x), with Φ the normal distribution function.

#include "yona/backend/cuda/pack.cuh"
#include "yona/backend/cuda/registration.h"

namespace yona::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads) gelu_kernel(Rows<T> x, Rows<T> y, std::int64_t rows) {
  const Place at = place_of_warp(rows, y.cols);
  if (!at.there) {
    return;
  }
  float v[kPack];
  x.load(at.row, at.channel, v);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    v[i] *= normcdff(v[i]);
  }
  y.store(at.row, at.channel, v);
}

// d/dx x Φ(x) = Φ(x) + x φ(x)
template <class T>
__global__ void __launch_bounds__(kThreads)
    gelu_backward_kernel(Rows<T> x, Rows<T> dy, Rows<T> dx, std::int64_t rows, bool accumulate) {
  const Place at = place_of_warp(rows, dx.cols);
  if (!at.there) {
    return;
  }
  constexpr float kDensityAtZero = 0.3989422804014327F;  // 1 / √(2π)
  float v[kPack];
  float g[kPack];
  x.load(at.row, at.channel, v);
  dy.load(at.row, at.channel, g);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    const float density = kDensityAtZero * expf(-0.5F * v[i] * v[i]);
    g[i] *= normcdff(v[i]) + v[i] * density;
  }
  dx.put(at.row, at.channel, g, accumulate);
}

void gelu(const RowsArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "gelu", [&](auto t) {
    using T = decltype(t);
    gelu_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), rows_of<T>(args.y), args.y.rows);
  });
  check_launch("gelu");
}

void gelu_backward(const RowsBackwardArgs& args, Exec& exec) {
  if (args.dx.rows * args.dx.cols == 0) {
    return;
  }
  with_type(args.dy.dtype, "gelu_backward", [&](auto t) {
    using T = decltype(t);
    gelu_backward_kernel<<<blocks_of_packs(args.dx), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.saved), rows_of<T>(args.dy), rows_of<T>(args.dx), args.dx.rows,
        args.accumulate);
  });
  check_launch("gelu_backward");
}

const Registration registration([](Kernels& table) {
  table.gelu = gelu;
  table.gelu_backward = gelu_backward;
});

}  // namespace
}  // namespace yona::cuda
