// Forward products of many rows by held_linear.cuh, where it is faster than cuBLASLt.

#include <algorithm>

#include "yona/backend/cuda/cluster_launch.h"
#include "yona/backend/cuda/held_linear.cuh"
#include "yona/backend/cuda/held_linear.h"
#include "yona/backend/cuda/rows.cuh"
#include "yona/backend/cuda/tensor_map.h"

namespace yona::cuda {

#ifdef YONA_CUDA_90A

namespace {

using Shape = HeldLinearShape;

// Less is left to cuBLASLt: on an H200 512 columns gain a µs of 26, and what is shallower would be
// multiplied with zeros up to the whole depth.
constexpr std::int64_t kLeastRows = 4096;
constexpr std::int64_t kLeastCols = 1024;
constexpr std::int64_t kLeastDepth = 448;
constexpr std::int64_t kMostDepth = std::int64_t{Shape::kSteps} * Shape::kSlices * Shape::kDepth;

bool suits(const View& view) {
  return view.dtype == DType::bf16 && view.stride % kPack == 0 &&
         reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0;
}

bool suits(const MatmulArgs& args) {
  const std::int64_t depth = args.a.cols;
  return !args.transpose_a && args.transpose_b && !args.accumulate && args.c.rows >= kLeastRows &&
         args.c.cols >= kLeastCols && args.c.cols % Shape::kClusterCols == 0 &&
         depth >= kLeastDepth && depth <= kMostDepth && depth % Shape::kDepth == 0 &&
         suits(args.a) && suits(args.b) && suits(args.c) &&
         (!args.bias || args.bias.dtype == DType::bf16) &&
         (args.activation == Activation::none || args.activation == Activation::relu);
}

template <bool kRelu>
bool multiply(const MatmulArgs& args, Exec& exec) {
  static const int at_once = clusters_at_once<Shape>(held_linear_kernel<kRelu>, "matmul");
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
  const HeldLinear linear{static_cast<const __nv_bfloat16*>(args.bias.data),
                          static_cast<int>(args.c.rows), static_cast<int>(args.c.cols)};
  check_cuda(cudaLaunchKernelEx(launch.early(), held_linear_kernel<kRelu>, x, w, y, linear),
             "matmul");
  return true;
}

}  // namespace

bool multiply_held(const MatmulArgs& args, Exec& exec) {
  if (!suits(args)) {
    return false;
  }
  return args.activation == Activation::relu ? multiply<true>(args, exec)
                                             : multiply<false>(args, exec);
}

#else

bool multiply_held(const MatmulArgs& /*args*/, Exec& /*exec*/) { return false; }

#endif

}  // namespace yona::cuda
