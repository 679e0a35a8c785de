// The gradient behind a relu or a GELU and a product: on Hopper one kernel
// (gemm/relu_gradient_stationary.cuh, and for depths of more than 512
// gemm/relu_gradient_transposed.cuh), where types and sizes suit it; elsewhere the product and then
// bias_activation_backward.

#include <algorithm>

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/gemm/relu_gradient_stationary.cuh"
#include "yona/backend/cuda/gemm/relu_gradient_transposed.cuh"
#include "yona/backend/cuda/norm/column_sums.h"
#include "yona/backend/cuda/runtime/cluster_launch.h"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/cuda/runtime/tensor_map.h"
#include "yona/backend/gelu_gradient.h"

namespace yona::cuda {

namespace {

#ifdef YONA_CUDA_90A

// Memory for partial sums, where the bias gradient is wanted.
float* room_for(std::int64_t slices, const ReluGradientProductArgs& args, Exec& exec) {
  if (!args.bias_gradient) {
    return nullptr;
  }
  PendingSums& sums = exec_of(exec).sums;
  sums.begin(slices * args.dz.cols, stream_of(exec));
  return sums.take(slices * args.dz.cols);
}

void add_up(const float* partials, std::int64_t slices, const ReluGradientProductArgs& args,
            Exec& exec) {
  if (partials != nullptr) {
    exec_of(exec).sums.add({{partials, args.bias_gradient.row<float>(0), slices, args.dz.cols}},
                           stream_of(exec));
  }
}

// How many clusters there are for the tiles, and slices of sums.
template <class Shape>
struct Division {
  int clusters = 0;
  std::int64_t slices = 0;

  Division(const ReluGradientProductArgs& args, int at_once) {
    const auto units = static_cast<int>(args.dz.cols / Shape::kClusterCols);
    const auto tiles = static_cast<int>(blocks_for(args.dz.rows, Shape::kRows)) * units;
    clusters = std::min(tiles, at_once);
    slices = StationaryTiles::slices(units, clusters);
  }
  ReluGradient gradient(const ReluGradientProductArgs& args, Exec& exec) const {
    return {room_for(slices, args, exec), static_cast<int>(args.dz.rows),
            static_cast<int>(args.dz.cols), args.scale};
  }
};

// These return false, with nothing done, where the matrices cannot be described.

template <class Activation, class Shape>
bool multiply_stationary(const ReluGradientProductArgs& args, Exec& exec) {
  // Asked once, and about the GPU: what else runs on it does not change how sums are added.
  static const int at_once = clusters_at_once<Shape>(
      relu_gradient_stationary_kernel<Shape, Activation>, "relu_gradient_product");
  CUtensorMap dy;
  CUtensorMap w;
  CUtensorMap y;
  CUtensorMap block_h;
  CUtensorMap dz;
  TileOfMatrix block = tiles_of(args.y, Shape::kRows, Shape::kCols);
  block.swizzled = false;
  if (at_once == 0 ||
      !describe_tiles(tiles_of(args.dy, Shape::kRows / Shape::kCluster, Shape::kDepth), dy) ||
      !describe_tiles(tiles_of(args.weight, Shape::kDepth, Shape::kConsumerCols), w) ||
      !describe_tiles(tiles_of(args.y, Shape::kPieceRows, Shape::kConsumerCols), y) ||
      !describe_tiles(block, block_h) ||
      !describe_tiles(tiles_of(args.dz, Shape::kPieceRows, Shape::kConsumerCols), dz)) {
    return false;
  }
  const Division<Shape> division(args, at_once);
  const ReluGradient gradient = division.gradient(args, exec);
  ClusterLaunch launch(Shape{}, division.clusters, stream_of(exec));
  check_cuda(
      cudaLaunchKernelEx(launch.dependent(), relu_gradient_stationary_kernel<Shape, Activation>, dy,
                         w, y, block_h, dz, gradient),
      "relu_gradient_product");
  add_up(gradient.partials, division.slices, args, exec);
  return true;
}

template <class Activation>
bool multiply_of_any_depth(const ReluGradientProductArgs& args, Exec& exec) {
  using Shape = TransposedShape;
  static const int at_once =
      clusters_at_once<Shape>(relu_gradient_product_kernel<Activation>, "relu_gradient_product");
  CUtensorMap dy;
  CUtensorMap w;
  CUtensorMap y;
  CUtensorMap dz;
  if (at_once == 0 ||
      !describe_tiles(tiles_of(args.dy, Shape::kRows / Shape::kCluster, Shape::kDepth), dy) ||
      !describe_tiles(tiles_of(args.weight, Shape::kDepth, Shape::kConsumerCols), w) ||
      !describe_tiles(tiles_of(args.y, Shape::kPieceRows, Shape::kConsumerCols), y) ||
      !describe_tiles(tiles_of(args.dz, Shape::kPieceRows, Shape::kConsumerCols), dz)) {
    return false;
  }
  const Division<Shape> division(args, at_once);
  const ReluGradient gradient = division.gradient(args, exec);
  ClusterLaunch launch(Shape{}, division.clusters, stream_of(exec));
  check_cuda(cudaLaunchKernelEx(launch.dependent(), relu_gradient_product_kernel<Activation>, dy, w,
                                y, dz, gradient, static_cast<int>(args.dy.cols)),
             "relu_gradient_product");
  add_up(gradient.partials, division.slices, args, exec);
  return true;
}

// False, with nothing done, where no kernel suits.
template <class Activation>
bool multiply_on_hopper(const ReluGradientProductArgs& args, Exec& exec) {
  using Shallow = StationaryShape<4>;
  using Deep = StationaryShape<8>;
  const std::int64_t depth = args.dy.cols;
  if (!is_bf16_for_copies(args.dy) || !is_bf16_for_copies(args.weight) ||
      !is_bf16_for_copies(args.y) || !is_bf16_for_copies(args.dz) || args.dz.rows == 0 ||
      args.dz.cols % TransposedShape::kClusterCols != 0 || depth == 0 ||
      depth % TransposedShape::kDepth != 0) {
    return false;
  }
  static_assert(Deep::kClusterCols == TransposedShape::kClusterCols &&
                Deep::kDepth == TransposedShape::kDepth);
  if (depth <= Shallow::kSteps * Shallow::kDepth) {
    return multiply_stationary<Activation, Shallow>(args, exec);
  }
  if (depth <= Deep::kSteps * Deep::kDepth) {
    return multiply_stationary<Activation, Deep>(args, exec);
  }
  return multiply_of_any_depth<Activation>(args, exec);
}

#else

template <class Activation>
bool multiply_on_hopper(const ReluGradientProductArgs& /*args*/, Exec& /*exec*/) {
  return false;
}

#endif

void relu_gradient_product(const ReluGradientProductArgs& args, Exec& exec) {
  if (!multiply_on_hopper<Relu>(args, exec)) {
    kernels().matmul.function()(args.product(), exec);
    kernels().bias_activation_backward.function()(args.gradient(), exec);
  }
}

void gelu_gradient_product(const GeluGradientProductArgs& args, Exec& exec) {
  const ReluGradientProductArgs gated{.dy = args.dy,
                                      .weight = args.weight,
                                      .y = args.z,
                                      .dz = args.dz,
                                      .bias_gradient = args.bias_gradient};
  const bool done = args.form == GeluForm::exact ? multiply_on_hopper<Gelu>(gated, exec)
                                                 : multiply_on_hopper<GeluTanh>(gated, exec);
  if (!done) {
    compose_gelu_gradient(kernels(), args, exec);
  }
}

const Registration registration([](Kernels& table) {
  table.relu_gradient_product = relu_gradient_product;
  table.gelu_gradient_product = gelu_gradient_product;
});

}  // namespace
}  // namespace yona::cuda
