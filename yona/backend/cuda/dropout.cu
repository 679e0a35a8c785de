// Dropout of single elements, added to a residual where there is one; without it, the kernel is its
// own backward.

#include "yona/backend/cuda/common/dropout.cuh"
#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads)
    dropout_kernel(Rows<T> x, Rows<T> residual, Rows<T> y, std::int64_t rows,
                   const std::uint64_t* row_keys, Dropout dropout, bool accumulate) {
  const Place at = place_of_warp(rows, y.cols);
  if (!at.there) {
    return;
  }
  float v[kPack];
  x.load(at.row, at.channel, v);
  if (dropout.threshold != 0) {
    drop(dropout, row_keys[at.row], at.first, at.lane, v);
  }
  if (residual.there()) {
    float r[kPack];
    residual.load(at.row, at.channel, r);
#pragma unroll
    for (int i = 0; i < kPack; ++i) {
      v[i] += r[i];
    }
  }
  y.put(at.row, at.channel, v, accumulate);
}

void dropout(const DropoutArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "dropout", [&](auto t) {
    using T = decltype(t);
    dropout_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), args.residual ? rows_of<T>(args.residual) : Rows<T>{},
        rows_of<T>(args.y), args.y.rows, args.row_keys, args.dropout, args.accumulate);
  });
  check_launch("dropout");
}

const Registration registration([](Kernels& table) { table.dropout = dropout; });

}  // namespace
}  // namespace yona::cuda
