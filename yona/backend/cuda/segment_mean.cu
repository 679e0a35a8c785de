// The mean of each sequence's rows: a block has a chunk of a sequence. The gradient: a warp copies
// a share to a chunk of a row.

#include "yona/backend/cuda/common/row_sum.cuh"
#include "yona/backend/cuda/common/sequences.cuh"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/kernel_args.h"

namespace yona::cuda {

namespace {

template <class T>
__global__ void __launch_bounds__(kThreads)
    segment_mean_kernel(Rows<T> x, Rows<T> y, const std::int64_t* offsets) {
  const std::int64_t begin = offsets[blockIdx.x];
  const std::int64_t count = offsets[blockIdx.x + 1] - begin;
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * kChunk;
  const float total = row_sum(x, first, count, [&](std::int64_t k) { return begin + k; });
  const std::int64_t column = first + threadIdx.x;
  if (column < y.cols) {
    const float mean = count > 0 ? total / static_cast<float>(count) : 0.0F;
    y.row(blockIdx.x)[column] = from_float<T>(mean);
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    segment_mean_backward_kernel(Rows<T> dy, Rows<T> dx, std::int64_t rows,
                                 const std::int64_t* offsets, std::int64_t segments,
                                 bool accumulate) {
  const Place at = place_of_warp(rows, dx.cols);
  if (!at.there) {
    return;
  }
  const std::int64_t s = sequence_of(offsets, segments, at.row);
  const float share = 1.0F / static_cast<float>(offsets[s + 1] - offsets[s]);
  float v[kPack];
  dy.load(s, at.channel, v);
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    v[i] *= share;
  }
  dx.put(at.row, at.channel, v, accumulate);
}

void segment_mean(const SegmentMeanArgs& args, Exec& exec) {
  if (args.segments * args.y.cols == 0) {
    return;
  }
  with_forward_type(args.y.dtype, "segment_mean", [&](auto t) {
    using T = decltype(t);
    const dim3 grid(static_cast<unsigned>(args.segments), blocks_for(args.y.cols, kChunk));
    segment_mean_kernel<<<grid, kThreads, 0, stream_of(exec)>>>(rows_of<T>(args.x),
                                                                rows_of<T>(args.y), args.offsets);
  });
  check_launch("segment_mean");
}

void segment_mean_backward(const SegmentMeanArgs& args, Exec& exec) {
  if (args.x.rows * args.x.cols == 0) {
    return;
  }
  with_type(args.y.dtype, "segment_mean_backward", [&](auto t) {
    using T = decltype(t);
    segment_mean_backward_kernel<<<blocks_of_packs(args.x), kThreads, 0, stream_of(exec)>>>(
        rows_of<T>(args.y), rows_of<T>(args.x), args.x.rows, args.offsets, args.segments,
        args.accumulate);
  });
  check_launch("segment_mean_backward");
}

const Registration registration([](Kernels& table) {
  table.segment_mean = segment_mean;
  table.segment_mean_backward = segment_mean_backward;
});

}  // namespace
}  // namespace yona::cuda
