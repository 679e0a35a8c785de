// The gradient behind a relu and a product: on Hopper one kernel (relu_gradient_product.cuh), where
// types and sizes suit it; elsewhere the product and then bias_activation_backward.

#include <algorithm>

#include "yona/backend/cuda/cluster_launch.h"
#include "yona/backend/cuda/column_sums.h"
#include "yona/backend/cuda/registration.h"
#include "yona/backend/cuda/relu_gradient_product.cuh"
#include "yona/backend/cuda/rows.cuh"
#include "yona/backend/cuda/tensor_map.h"

namespace yona::cuda {

namespace {

#ifdef YONA_CUDA_90A

using Tile = ReluGradientTile;

bool suits(const View& view) {
  return view.dtype == DType::bf16 && view.stride % kPack == 0 &&
         reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0;
}

// False, with nothing done, where the kernel does not suit.
bool multiply_on_hopper(const ReluGradientProductArgs& args, Exec& exec) {
  const std::int64_t rows = args.dz.rows;
  const std::int64_t cols = args.dz.cols;
  const std::int64_t depth = args.dy.cols;
  if (!suits(args.dy) || !suits(args.weight) || !suits(args.y) || !suits(args.dz) || rows == 0 ||
      cols % Tile::kCols != 0 || depth == 0 || depth % Tile::kDepth != 0) {
    return false;
  }
  static const int at_once =
      clusters_at_once<Tile>(relu_gradient_product_kernel, "relu_gradient_product");
  CUtensorMap dy;
  CUtensorMap w;
  CUtensorMap y;
  CUtensorMap dz;
  TileOfMatrix whole = tiles_of(args.y, Tile::kRows, Tile::kCols);
  whole.swizzled = false;
  if (at_once == 0 || !describe_tiles(tiles_of(args.dy, Tile::kRows, Tile::kDepth), dy) ||
      !describe_tiles(tiles_of(args.weight, Tile::kDepth, Tile::kPanel), w) ||
      !describe_tiles(whole, y) ||
      !describe_tiles(tiles_of(args.dz, Tile::kSliceRows, Tile::kPanel), dz)) {
    return false;
  }
  const cudaStream_t stream = stream_of(exec);
  const std::int64_t slices = blocks_for(rows, Tile::kSliceRows);
  PendingSums& sums = exec_of(exec).sums;
  float* partials = nullptr;
  if (args.bias_gradient) {
    sums.begin(slices * cols, stream);
    partials = sums.take(slices * cols);
  }
  const auto tiles = static_cast<int>(blocks_for(rows, Tile::kCluster * Tile::kRows) *
                                      static_cast<unsigned>(cols / Tile::kCols));
  const ClusterLaunch launch(Tile{}, std::min(tiles, at_once), stream);
  const ReluGradient gradient{static_cast<const bf16*>(args.y.data),
                              args.y.stride,
                              partials,
                              static_cast<int>(rows),
                              static_cast<int>(cols),
                              static_cast<int>(depth),
                              args.scale};
  check_cuda(
      cudaLaunchKernelEx(launch.config(), relu_gradient_product_kernel, dy, w, y, dz, gradient),
      "relu_gradient_product");
  if (partials != nullptr) {
    sums.add({{partials, args.bias_gradient.row<float>(0), slices, cols}}, stream);
  }
  return true;
}

#else

bool multiply_on_hopper(const ReluGradientProductArgs& /*args*/, Exec& /*exec*/) { return false; }

#endif

void relu_gradient_product(const ReluGradientProductArgs& args, Exec& exec) {
  if (!multiply_on_hopper(args, exec)) {
    kernels().matmul.function()(args.product(), exec);
    kernels().bias_activation_backward.function()(args.gradient(), exec);
  }
}

const Registration registration([](Kernels& table) {
  table.relu_gradient_product = relu_gradient_product;
});

}  // namespace
}  // namespace yona::cuda
