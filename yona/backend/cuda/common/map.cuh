// Functions of single numbers over matrices: y = f(x) and dx (+)= f'(x) dy. A warp takes a chunk of
// a row. A function is a type with two static members, value(x) and slope(x).
#pragma once

#include "yona/backend/cuda/common/gelu.cuh"
#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

template <class Function, class T>
__global__ void __launch_bounds__(kThreads) map_kernel(Rows<T> x, Rows<T> y, std::int64_t rows) {
  const Place at = place_of_warp(rows, y.cols);
  if (!at.there) {
    return;
  }
  float v[kPack];
  x.load(at.row, at.channel, v);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    v[i] = ComputedAs<Function, T>::Type::value(v[i]);
  }
  y.store(at.row, at.channel, v);
}

template <class Function, class T>
__global__ void __launch_bounds__(kThreads)
    map_backward_kernel(Rows<T> x, Rows<T> dy, Rows<T> dx, std::int64_t rows, bool accumulate) {
  const Place at = place_of_warp(rows, dx.cols);
  if (!at.there) {
    return;
  }
  float v[kPack];
  float g[kPack];
  x.load(at.row, at.channel, v);
  dy.load(at.row, at.channel, g);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    g[i] *= ComputedAs<Function, T>::Type::slope(v[i]);
  }
  dx.put(at.row, at.channel, g, accumulate);
}

// The two kernels of the table; Function::kName and Function::kBackwardName are theirs.
template <class Function>
void map(const RowsArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.x.dtype, Function::kName, [&](auto t) {
    using T = decltype(t);
    map_kernel<Function, T><<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), rows_of<T>(args.y), args.y.rows);
  });
  check_launch(Function::kName);
}

template <class Function>
void map_backward(const RowsBackwardArgs& args, Exec& exec) {
  if (args.dx.rows * args.dx.cols == 0) {
    return;
  }
  with_type(args.dy.dtype, Function::kBackwardName, [&](auto t) {
    using T = decltype(t);
    map_backward_kernel<Function, T><<<blocks_of_packs(args.dx), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.saved), rows_of<T>(args.dy), rows_of<T>(args.dx), args.dx.rows,
        args.accumulate);
  });
  check_launch(Function::kBackwardName);
}

}  // namespace yona::cuda
