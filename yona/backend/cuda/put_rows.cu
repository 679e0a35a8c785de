// Rows put at numbered places: a warp copies a chunk of a row.

#include "yona/backend/cuda/common/pack.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads)
    put_rows_kernel(Rows<T> x, Rows<T> y, std::int64_t rows, const std::int32_t* numbers) {
  const Place at = place_of_warp(rows, x.cols);
  if (at.there && numbers[at.row] >= 0) {
    float v[kPack];
    x.load(at.row, at.channel, v);
    y.store(numbers[at.row], at.channel, v);
  }
}

void put_rows(const PutRowsArgs& args, Exec& exec) {
  if (args.x.rows * args.x.cols == 0) {
    return;
  }
  with_forward_type(args.x.dtype, "put_rows", [&](auto t) {
    using T = decltype(t);
    put_rows_kernel<<<blocks_of_packs(args.x), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.x), rows_of<T>(args.y), args.x.rows, args.rows);
  });
  check_launch("put_rows");
}

const Registration registration([](Kernels& table) { table.put_rows = put_rows; });

}  // namespace
}  // namespace yona::cuda
