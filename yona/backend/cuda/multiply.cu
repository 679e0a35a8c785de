// Products element by element. A warp takes a chunk of a row, and has read it before it writes, so
// that the result may take an operand's place.

#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads)
    multiply_kernel(Rows<T> a, Rows<T> b, Rows<T> y, std::int64_t rows, bool accumulate) {
  const Place at = place_of_warp(rows, y.cols);
  if (!at.there) {
    return;
  }
  float v[kPack];
  float w[kPack];
  a.load(at.row, at.channel, v);
  b.load(at.row, at.channel, w);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    v[i] *= w[i];
  }
  y.put(at.row, at.channel, v, accumulate);
}

void multiply(const MultiplyArgs& args, Exec& exec) {
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "multiply", [&](auto t) {
    using T = decltype(t);
    multiply_kernel<<<blocks_of_packs(args.y), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.a), rows_of<T>(args.b), rows_of<T>(args.y), args.y.rows, args.accumulate);
  });
  check_launch("multiply");
}

const Registration registration([](Kernels& table) { table.multiply = multiply; });

}  // namespace
}  // namespace yona::cuda
