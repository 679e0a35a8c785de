// The same rows in front of every sequence: a warp copies a chunk of a row. The gradient of those
// rows is a sum over sequences.

#include "yona/backend/cuda/common/row_sum.cuh"
#include "yona/backend/cuda/common/sequences.cuh"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads)
    prepend_rows_kernel(Rows<T> x, Rows<float> first, Rows<T> y, std::int64_t rows,
                        std::int64_t more, const std::int64_t* offsets, std::int64_t sequences) {
  const Place at = place_of_warp(rows, y.cols);
  if (!at.there) {
    return;
  }
  const std::int64_t s = sequence_of(offsets, sequences, at.row, more);
  const std::int64_t place = at.row - offsets[s] - s * more;  // within its sequence
  float v[kPack];
  if (place < more) {
    first.load(place, at.channel, v);
  } else {
    x.load(offsets[s] + place - more, at.channel, v);
  }
  y.store(at.row, at.channel, v);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    take_rows_kernel(Rows<T> dy, Rows<T> dx, std::int64_t rows, std::int64_t more,
                     const std::int64_t* offsets, std::int64_t sequences, bool accumulate) {
  const Place at = place_of_warp(rows, dx.cols);
  if (!at.there) {
    return;
  }
  const std::int64_t s = sequence_of(offsets, sequences, at.row);
  float v[kPack];
  dy.load(at.row + (s + 1) * more, at.channel, v);
  dx.put(at.row, at.channel, v, accumulate);
}

// Block (i, chunk): row i of dfirst.
template <class T>
__global__ void __launch_bounds__(kThreads)
    sum_first_kernel(Rows<T> dy, Rows<float> dfirst, std::int64_t more, const std::int64_t* offsets,
                     std::int64_t sequences) {
  const std::int64_t row = blockIdx.x;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kChunk;
  const float total =
      row_sum(dy, first, sequences, [&](std::int64_t s) { return offsets[s] + s * more + row; });
  const std::int64_t column = first + threadIdx.x;
  if (column < dy.cols) {
    dfirst.row(row)[column] += total;
  }
}

void prepend_rows(const PrependRowsArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "prepend_rows", [&](auto t) {
    using T = decltype(t);
    prepend_rows_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), rows_of<float>(args.first), rows_of<T>(args.y), args.y.rows,
        args.first.rows, args.offsets, args.sequences);
  });
  check_launch("prepend_rows");
}

void prepend_rows_backward(const PrependRowsBackwardArgs& args, Exec& exec) {
  if (args.dy.rows * args.dy.cols == 0) {
    return;
  }
  with_type(args.dy.dtype, "prepend_rows_backward", [&](auto t) {
    using T = decltype(t);
    const Rows<T> dy = rows_of<T>(args.dy);
    if (args.dx && args.dx.rows > 0) {
      take_rows_kernel<<<blocks_of_packs(args.dx), kThreads, 0, stream_of(exec)>>>(
          dy, rows_of<T>(args.dx), args.dx.rows, args.first_rows, args.offsets, args.sequences,
          args.accumulate_dx);
    }
    if (args.dfirst && args.first_rows > 0) {
      const dim3 grid(static_cast<unsigned>(args.first_rows), blocks_for(args.dy.cols, kChunk));
      sum_first_kernel<<<grid, kThreads, 0, stream_of(exec)>>>(
          dy, rows_of<float>(args.dfirst), args.first_rows, args.offsets, args.sequences);
    }
  });
  check_launch("prepend_rows_backward");
}

const Registration registration([](Kernels& table) {
  table.prepend_rows = prepend_rows;
  table.prepend_rows_backward = prepend_rows_backward;
});

}  // namespace
}  // namespace yona::cuda
