#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/gemm/matmul_plain.h"

namespace yona::cuda {

namespace {

__device__ float element(const View& view, std::int64_t row, std::int64_t column) {
  const std::int64_t at = row * view.stride + column;
  return view.dtype == DType::bf16  ? to_float(static_cast<const bf16*>(view.data)[at])
         : view.dtype == DType::f16 ? to_float(static_cast<const f16*>(view.data)[at])
                                    : static_cast<const float*>(view.data)[at];
}

__global__ void __launch_bounds__(kThreads) plain_kernel(MatmulArgs args, std::int64_t depth) {
  const std::int64_t item = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (item >= args.c.rows * args.c.cols) {
    return;
  }
  const std::int64_t i = item / args.c.cols;
  const std::int64_t j = item % args.c.cols;
  float sum = 0.0F;
  for (std::int64_t k = 0; k < depth; ++k) {
    sum += (args.transpose_a ? element(args.a, k, i) : element(args.a, i, k)) *
           (args.transpose_b ? element(args.b, j, k) : element(args.b, k, j));
  }
  if (args.accumulate) {
    sum += element(args.c, i, j);
  }
  if (args.bias.data != nullptr) {
    sum += element(args.bias, 0, j);
  }
  if (args.activation == Activation::relu) {
    sum = fmaxf(sum, 0.0F);
  }
  const std::int64_t at = i * args.c.stride + j;
  if (args.c.dtype == DType::bf16) {
    static_cast<bf16*>(args.c.data)[at] = from_float<bf16>(sum);
  } else if (args.c.dtype == DType::f16) {
    static_cast<f16*>(args.c.data)[at] = from_float<f16>(sum);
  } else {
    static_cast<float*>(args.c.data)[at] = sum;
  }
}

}  // namespace

void multiply_plainly(const MatmulArgs& args, cudaStream_t stream) {
  const unsigned blocks = blocks_for(args.c.rows * args.c.cols, kThreads);
  plain_kernel<<<blocks, kThreads, 0, stream>>>(args, args.transpose_a ? args.a.rows : args.a.cols);
  check_launch("matmul");
}

}  // namespace yona::cuda
