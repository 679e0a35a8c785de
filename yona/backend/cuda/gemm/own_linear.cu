// Forward products of many rows by gemm/stationary_linear.cuh and gemm/transposed_linear.cuh, where
// these are faster than cuBLASLt.

#include <algorithm>

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/gemm/own_linear.h"
#include "yona/backend/cuda/gemm/stationary_linear.cuh"
#include "yona/backend/cuda/gemm/transposed_linear.cuh"
#include "yona/backend/cuda/runtime/cluster_launch.h"
#include "yona/backend/cuda/runtime/tensor_map.h"

namespace yona::cuda {

#ifdef YONA_CUDA_90A

namespace {

// Sizes that a kernel is for. Less is left to cuBLASLt.
struct Limits {
  std::int64_t rows, cols;  // at least
  std::int64_t least_depth, most_depth;

  bool allow(const MatmulArgs& args) const {
    return args.c.rows >= rows && args.c.cols >= cols && args.a.cols >= least_depth &&
           args.a.cols <= most_depth;
  }
};

// On an H200 512 columns gain little, and what is shallower would be multiplied with zeros up
// to the whole depth.
constexpr std::int64_t kDeepestStationary = std::int64_t{StationaryLinearShape::kSteps} *
                                            StationaryLinearShape::kSlices *
                                            StationaryLinearShape::kDepth;
constexpr Limits kStationary{4096, 1024, 448, kDeepestStationary};
// There 1,024 columns gain nothing, and neither do a depth of 4,096 or 4,096 rows.
constexpr Limits kTransposed{8192, 2048, kDeepestStationary + TransposedLinearShape::kDepth, 1024};

bool suits(const MatmulArgs& args) {
  static_assert(StationaryLinearShape::kClusterCols == TransposedLinearShape::kClusterCols &&
                StationaryLinearShape::kDepth == TransposedLinearShape::kDepth);
  return !args.transpose_a && args.transpose_b && !args.accumulate &&
         args.c.cols % StationaryLinearShape::kClusterCols == 0 &&
         args.a.cols % StationaryLinearShape::kDepth == 0 && is_bf16_for_copies(args.a) &&
         is_bf16_for_copies(args.b) && is_bf16_for_copies(args.c) &&
         (!args.bias || args.bias.dtype == DType::bf16) &&
         (args.activation == Activation::none || args.activation == Activation::relu);
}

// `more` is further arguments of the kernel.
template <class Shape, auto kKernel, class... More>
bool multiply(const MatmulArgs& args, Exec& exec, More... more) {
  static const int at_once = clusters_at_once<Shape>(kKernel, "matmul");
  CUtensorMap x;
  CUtensorMap w;
  CUtensorMap y;
  if (at_once == 0 ||
      !describe_tiles(tiles_of(args.a, Shape::kRows / Shape::kCluster, Shape::kDepth), x) ||
      !describe_tiles(tiles_of(args.b, Shape::kCols, Shape::kDepth), w) ||
      !describe_tiles(tiles_of(args.c, Shape::kPieceRows, Shape::kConsumerCols), y)) {
    return false;
  }
  const auto tiles = static_cast<int>(blocks_for(args.c.rows, Shape::kRows) *
                                      static_cast<unsigned>(args.c.cols / Shape::kClusterCols));
  ClusterLaunch launch(Shape{}, std::min(tiles, at_once), stream_of(exec));
  const Linear linear{static_cast<const __nv_bfloat16*>(args.bias.data),
                      static_cast<int>(args.c.rows), static_cast<int>(args.c.cols)};
  check_cuda(cudaLaunchKernelEx(launch.dependent(), kKernel, x, w, y, linear, more...), "matmul");
  return true;
}

template <bool kRelu>
bool multiply(const MatmulArgs& args, Exec& exec) {
  if (kStationary.allow(args)) {
    return multiply<StationaryLinearShape, stationary_linear_kernel<kRelu>>(args, exec);
  }
  return kTransposed.allow(args) &&
         multiply<TransposedLinearShape, transposed_linear_kernel<kRelu>>(
             args, exec, static_cast<int>(args.a.cols));
}

}  // namespace

bool multiply_stationary(const MatmulArgs& args, Exec& exec) {
  if (!suits(args)) {
    return false;
  }
  return args.activation == Activation::relu ? multiply<true>(args, exec)
                                             : multiply<false>(args, exec);
}

#else

bool multiply_stationary(const MatmulArgs& /*args*/, Exec& /*exec*/) { return false; }

#endif

}  // namespace yona::cuda
