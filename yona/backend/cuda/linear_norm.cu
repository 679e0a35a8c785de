// A product, the residual sum and layer normalisation: for few rows on Hopper one kernel
// (gemm/linear_norm.cuh), where types and sizes suit it; elsewhere the product and then
// residual_norm.

#include <algorithm>
#include <array>
#include <atomic>
#include <span>

#include "yona/backend/cuda/gemm/linear_norm.cuh"
#include "yona/backend/cuda/runtime/cluster_launch.h"
#include "yona/backend/cuda/runtime/registration.h"
#include "yona/backend/cuda/runtime/tensor_map.h"

namespace yona::cuda {

namespace {

#ifdef YONA_CUDA_90A

constexpr int kMostShared = 227 * 1024;  // bytes of a block on Hopper

template <class Tile>
ClusterLaunch launch_of(int clusters, int stages, cudaStream_t stream) {
  return {clusters, Tile::kCluster, Tile::kThreads, Tile::shared_bytes(stages), stream};
}

// How many clusters with a ring of so many stages run at once on this GPU: none where it cannot
// have clusters of that size.
template <class Tile>
int clusters_at_once(int stages) {
  static std::array<std::atomic<int>, Tile::kMostStages + 1> known{};  // one more; 0 not yet
  std::atomic<int>& one_more = known[static_cast<std::size_t>(stages)];
  if (one_more == 0) {
    const auto kernel = linear_norm_kernel<Tile>;
    check_cuda(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kMostShared),
        "linear_norm");
    if (Tile::kCluster > 8) {  // more than every GPU with clusters must have
      check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
                 "linear_norm");
    }
    const ClusterLaunch launch = launch_of<Tile>(1, stages, nullptr);
    int clusters = 0;
    if (cudaOccupancyMaxActiveClusters(&clusters, kernel, launch.config()) != cudaSuccess) {
      cudaGetLastError();  // forgotten: there are none
      clusters = 0;
    }
    one_more = clusters + 1;
  }
  return one_more - 1;
}

// False, with nothing done, where not all clusters run at once.
template <class Tile>
bool launch(const LinearNormArgs& args, Exec& exec) {
  const int rows = static_cast<int>(args.y.rows);
  const int steps = static_cast<int>(args.a.cols) / (Tile::kDepth * Tile::kSplit);
  const int stages =
      std::min({steps, Tile::kMostStages, (kMostShared - Tile::kRestBytes) / Tile::kStageBytes});
  const int clusters = (rows + Tile::kTokens - 1) / Tile::kTokens;
  CUtensorMap w;
  CUtensorMap a;
  if (clusters > clusters_at_once<Tile>(stages) ||
      !describe_tiles(tiles_of(args.weight, Tile::kChannels, Tile::kDepth), w) ||
      !describe_tiles(tiles_of(args.a, Tile::kTokens, Tile::kDepth), a)) {
    return false;
  }
  const LinearNorm norm{.bias = static_cast<const bf16*>(args.bias.data),
                        .x = static_cast<const bf16*>(args.x.data),
                        .x_stride = args.x.stride,
                        .s = static_cast<bf16*>(args.s.data),
                        .s_stride = args.s.stride,
                        .y = static_cast<bf16*>(args.y.data),
                        .y_stride = args.y.stride,
                        .weight = static_cast<const float*>(args.norm_weight.data),
                        .norm_bias = static_cast<const float*>(args.norm_bias.data),
                        .epsilon = args.epsilon,
                        .rows = rows,
                        .steps = steps,
                        .stages = stages};
  const ClusterLaunch launch = launch_of<Tile>(clusters, stages, stream_of(exec));
  check_cuda(cudaLaunchKernelEx(launch.config(), linear_norm_kernel<Tile>, w, a, norm),
             "linear_norm");
  return true;
}

// Up to how many rows which tile is the fastest that was measured on an H200, at a width of 512 and
// depths of 512 and 2,048; a width of 256 takes the same. Where clusters of 16 blocks cannot run,
// those of 8 at the end do. For more rows than the last has, the product and the norm apart are
// faster.
struct Choice {
  std::int64_t most_rows;
  bool (*launch)(const LinearNormArgs&, Exec&);
};

template <int kGroups>
std::span<const Choice> choices(std::int64_t depth) {
  static constexpr Choice kShallow[] = {{8, launch<LinearNormTile<kGroups, 8, 2>>},
                                        {64, launch<LinearNormTile<kGroups, 16, 2>>},
                                        {128, launch<LinearNormTile<kGroups, 32, 2>>},
                                        {512, launch<LinearNormTile<kGroups, 32, 1>>}};
  static constexpr Choice kDeep[] = {{8, launch<LinearNormTile<kGroups, 8, 2>>},
                                     {64, launch<LinearNormTile<kGroups, 16, 2>>},
                                     {192, launch<LinearNormTile<kGroups, 32, 2>>},
                                     {384, launch<LinearNormTile<kGroups, 64, 2>>},
                                     {384, launch<LinearNormTile<kGroups, 32, 1>>}};
  return depth <= 1024 ? std::span<const Choice>(kShallow) : std::span<const Choice>(kDeep);
}

bool suits(const View& view, DType dtype) {
  return view.dtype == dtype && reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0 &&
         (view.stride % kPack == 0 || view.rows <= 1);
}

// False, with nothing done, where the kernel does not suit.
bool multiply_on_hopper(const LinearNormArgs& args, Exec& exec) {
  const std::int64_t depth = args.a.cols;
  const std::int64_t width = args.y.cols;
  constexpr std::int64_t kDepths = 128;  // of two parts
  if (args.y.rows == 0 || args.y.rows > 512 || depth == 0 || depth % kDepths != 0 ||
      (width != 256 && width != 512) || !suits(args.a, DType::bf16) ||
      !suits(args.weight, DType::bf16) || !suits(args.x, DType::bf16) ||
      !suits(args.y, DType::bf16) || (args.s && !suits(args.s, DType::bf16)) ||
      (args.bias && !suits(args.bias, DType::bf16)) || !suits(args.norm_weight, DType::f32) ||
      !suits(args.norm_bias, DType::f32)) {
    return false;
  }
  static const bool hopper = is_hopper();
  if (!hopper) {
    return false;
  }
  for (const Choice& choice : width == 256 ? choices<4>(depth) : choices<8>(depth)) {
    if (args.y.rows <= choice.most_rows && choice.launch(args, exec)) {
      return true;
    }
  }
  return false;
}

#else

bool multiply_on_hopper(const LinearNormArgs& /*args*/, Exec& /*exec*/) { return false; }

#endif

void linear_norm(const LinearNormArgs& args, Exec& exec) {
  if (!multiply_on_hopper(args, exec)) {
    kernels().matmul.function()(args.product(), exec);
    kernels().residual_norm.function()(args.norm(), exec);
  }
}

const Registration registration([](Kernels& table) {
  table.linear_norm = linear_norm;
  table.linear_norm.fused = Fused::yes;
});

}  // namespace
}  // namespace yona::cuda
