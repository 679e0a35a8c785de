// Gradients of many weights: on Hopper one launch (gemm/weight_gradients.cuh) for those that suit
// it, if together they use the GPU well enough; the others, and all elsewhere, one product after
// another.

#include <algorithm>
#include <array>
#include <span>

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/cuda/gemm/weight_gradients.cuh"
#include "yona/backend/cuda/gemm/weight_gradients.h"
#include "yona/backend/cuda/runtime/cluster_launch.h"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/cuda/runtime/tensor_map.h"

namespace yona::cuda {

namespace {

void multiply_one_by_one(std::span<const WeightGradient> products, Precision precision,
                         Exec& exec) {
  for (const WeightGradient& product : products) {
    kernels().matmul.function()(product.product(precision), exec);
  }
}

#ifdef YONA_CUDA_90A

using Tile = WeightGradientsTile;
static_assert(Tile::kCluster * Tile::kRows == kWeightGradientRows &&
              Tile::kCols == kWeightGradientCols);

constexpr double kLeastShare = 0.6;  // of its tiles that a product fills, to be computed by them

int clusters_at_once() {
  static const int clusters =
      cuda::clusters_at_once<Tile>(weight_gradients_kernel, "weight_gradients");
  return clusters;
}

bool is_aligned(const View& view, std::uintptr_t bytes, std::int64_t elements) {
  return reinterpret_cast<std::uintptr_t>(view.data) % bytes == 0 && view.stride % elements == 0;
}

bool describe(const View& view, CUtensorMap& map) {
  return describe_tiles(tiles_of(view, Tile::kDepth, Tile::kPanel), map);
}

// Adds the product to the group; false where it does not suit.
bool gather(const WeightGradient& from, WeightGradientProducts& group) {
  const View& dw = from.dw;
  if (group.count == WeightGradientProducts::kMost || from.dy.dtype != DType::bf16 ||
      from.x.dtype != DType::bf16 || dw.dtype != DType::f32 || from.dy.rows == 0 ||
      dw.cols % 2 != 0 || !is_aligned(from.dy, 16, kPack) || !is_aligned(from.x, 16, kPack) ||
      !is_aligned(dw, 8, 2)) {
    return false;
  }
  const std::int64_t tiles = weight_gradient_tiles(dw.rows, dw.cols) / Tile::kCluster;
  const double share = static_cast<double>(dw.rows * dw.cols) /
                       static_cast<double>(tiles * kWeightGradientRows * kWeightGradientCols);
  WeightGradientProduct& product = group.products[group.count];
  if (share < kLeastShare || !describe(from.dy, product.dy) || !describe(from.x, product.x)) {
    return false;
  }
  product.dw = static_cast<float*>(dw.data);
  product.stride = dw.stride;
  product.rows = static_cast<int>(dw.rows);
  product.cols = static_cast<int>(dw.cols);
  product.depth = static_cast<int>(from.dy.rows);
  product.accumulate = from.accumulate ? 1 : 0;
  product.first = group.tiles;
  product.neighbours = static_cast<int>((dw.cols + kWeightGradientCols - 1) / kWeightGradientCols);
  group.tiles += static_cast<int>(tiles);
  ++group.count;
  return true;
}

// Is one launch faster than cuBLASLt's products, which split sums? By what both take on an H200, in
// ns: a tile of ours for each token and at its end, and of theirs, all in all, and a product's own.
bool is_faster(const WeightGradientProducts& group) {
  double ours = 0.0;
  double theirs = 0.0;
  for (int i = 0; i < group.count; ++i) {
    const WeightGradientProduct& product = group.products[i];
    const int end = i + 1 < group.count ? group.products[i + 1].first : group.tiles;
    const double tokens = product.depth;
    ours = std::max(ours, 11.5 * tokens + 5000.0);
    theirs += 0.109 * tokens * Tile::kCluster * (end - product.first) + 8000.0;
  }
  const int at_once = clusters_at_once();
  return ours * ((group.tiles + at_once - 1) / at_once) < theirs;
}

void weight_gradients(const WeightGradientsArgs& args, Exec& exec) {
  const int at_once = clusters_at_once();
  WeightGradientProducts group;
  std::array<WeightGradient, WeightGradientProducts::kMost> rest;  // that do not suit
  std::size_t others = 0;
  for (const WeightGradient& product : args.products) {
    if (at_once == 0 || !gather(product, group)) {
      if (others == rest.size()) {
        multiply_one_by_one({&product, 1}, args.precision, exec);
        continue;
      }
      rest[others++] = product;
    }
  }
  if (group.tiles == 0 || !is_faster(group)) {
    multiply_one_by_one(args.products, args.precision, exec);
    return;
  }
  ClusterLaunch launch(Tile{}, std::min(group.tiles, at_once), stream_of(exec));
  check_cuda(cudaLaunchKernelEx(launch.dependent(), weight_gradients_kernel, group),
             "weight_gradients");
  multiply_one_by_one(std::span(rest).first(others), args.precision, exec);
}

#else

int clusters_at_once() { return 0; }

void weight_gradients(const WeightGradientsArgs& args, Exec& exec) {
  multiply_one_by_one(args.products, args.precision, exec);
}

#endif

const Registration registration([](Kernels& table) { table.weight_gradients = weight_gradients; });

}  // namespace

std::int64_t weight_gradient_tiles_at_a_time() { return 2 * clusters_at_once(); }

}  // namespace yona::cuda
