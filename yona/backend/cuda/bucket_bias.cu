// A table by buckets of distances, spread out to one column for each distance, and its gradient.
// Both are small: a few thousand numbers, once a pass.

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

// A thread to each head and distance.
__global__ void __launch_bounds__(kThreads)
    bucket_bias_kernel(const std::int32_t* buckets, Rows<float> table, Rows<float> y) {
  const std::int64_t r = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t head = blockIdx.y;
  if (r < y.cols) {
    y.row(head)[r] = table.row(buckets[r])[head];
  }
}

// A warp to each bucket and head, which looks through all distances for those of its bucket: its
// lanes take every 32nd, and their sums are added in a fixed order.
__global__ void __launch_bounds__(kThreads)
    bucket_bias_backward_kernel(const std::int32_t* buckets, std::int64_t count, Rows<float> dtable,
                                Rows<float> dy) {
  const std::int64_t bucket =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  if (bucket >= count) {
    return;
  }
  const std::int64_t head = blockIdx.y;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  float sum = 0.0F;
  for (std::int64_t r = lane; r < dy.cols; r += kLanes) {
    sum += buckets[r] == bucket ? dy.row(head)[r] : 0.0F;
  }
  sum = warp_sum(sum);
  if (lane == 0) {
    dtable.row(bucket)[head] += sum;
  }
}

void check_type(const BucketBiasArgs& args, const char* kernel) {
  check<NotImplemented>(args.y.dtype == DType::f32 && args.table.dtype == DType::f32,
                        "{}: there is no kernel for {} in the cuda backend", kernel, args.y.dtype);
}

void bucket_bias(const BucketBiasArgs& args, Exec& exec) {
  check_type(args, "bucket_bias");
  if (args.y.rows * args.y.cols == 0) {
    return;
  }
  const dim3 grid(blocks_for(args.y.cols, kThreads), static_cast<unsigned>(args.y.rows));
  bucket_bias_kernel<<<grid, kThreads, 0, stream_of(exec)>>>(
      args.buckets, rows_of<float>(args.table), rows_of<float>(args.y));
  check_launch("bucket_bias");
}

void bucket_bias_backward(const BucketBiasArgs& args, Exec& exec) {
  check_type(args, "bucket_bias_backward");
  if (args.table.rows * args.y.rows * args.y.cols == 0) {
    return;
  }
  const dim3 grid(blocks_for(args.table.rows, kWarps), static_cast<unsigned>(args.y.rows));
  bucket_bias_backward_kernel<<<grid, kThreads, 0, stream_of(exec)>>>(
      args.buckets, args.table.rows, rows_of<float>(args.table), rows_of<float>(args.y));
  check_launch("bucket_bias_backward");
}

const Registration registration([](Kernels& table) {
  table.bucket_bias = bucket_bias;
  table.bucket_bias_backward = bucket_bias_backward;
});

}  // namespace
}  // namespace yona::cuda
