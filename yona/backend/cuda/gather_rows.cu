// Rows by their numbers: a warp copies a chunk of a row. The gradient is a sum over rows of the
// same number: common/row_segments.cuh.

#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/common/row_segments.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads)
    gather_rows_kernel(Rows<T> x, Rows<T> y, std::int64_t rows, const std::int32_t* numbers) {
  const Place at = place_of_warp(rows, y.cols);
  if (at.there) {
    float v[kPack];
    x.load(numbers[at.row], at.channel, v);
    y.store(at.row, at.channel, v);
  }
}

void gather_rows(const GatherRowsArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "gather_rows", [&](auto t) {
    using T = decltype(t);
    gather_rows_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), rows_of<T>(args.y), args.y.rows, args.rows);
  });
  check_launch("gather_rows");
}

void gather_rows_backward(const GatherRowsBackwardArgs& args, Exec& exec) {
  if (!args.accumulate && args.dx.rows * args.dx.cols > 0) {
    const std::size_t size = size_of(args.dx.dtype);
    check_cuda(cudaMemset2DAsync(args.dx.data, static_cast<std::size_t>(args.dx.stride) * size, 0,
                                 static_cast<std::size_t>(args.dx.cols) * size,
                                 static_cast<std::size_t>(args.dx.rows), stream_of(exec)),
               "gather_rows_backward");
  }
  if (args.dy.rows * args.dy.cols == 0) {
    return;
  }
  with_type(args.dy.dtype, "gather_rows_backward", [&](auto t) {
    using T = decltype(t);
    add_row_segments(Segments<T, T>{.dy = rows_of<T>(args.dy), .gradient = rows_of<T>(args.dx)},
                     args.rows, args.dy.rows, args.dx.rows, exec);
  });
  check_launch("gather_rows_backward");
}

const Registration registration([](Kernels& table) {
  table.gather_rows = gather_rows;
  table.gather_rows_backward = gather_rows_backward;
});

}  // namespace
}  // namespace yona::cuda
