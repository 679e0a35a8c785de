// Launches in clusters of blocks, which Hopper has. A Shape has kCluster, the blocks of a cluster,
// kThreads of a block and its kSharedBytes.
#pragma once

#include <array>
#include <cstddef>
#include <cuda_runtime.h>

#include "yona/backend/cuda/common/dependent_launch.cuh"

namespace yona::cuda {

// What cudaLaunchKernelEx asks for.
class ClusterLaunch {
 public:
  ClusterLaunch(int clusters, int cluster, int threads, int shared_bytes, cudaStream_t stream)
      : config_{dim3(static_cast<unsigned>(clusters * cluster)),
                dim3(static_cast<unsigned>(threads)),
                static_cast<std::size_t>(shared_bytes),
                stream,
                attributes_.data(),
                1} {
    attributes_[0].id = cudaLaunchAttributeClusterDimension;
    attributes_[0].val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
    attributes_[1] = dependent_launch_attribute();
  }
  template <class Shape>
  ClusterLaunch(Shape /*shape*/, int clusters, cudaStream_t stream)
      : ClusterLaunch(clusters, Shape::kCluster, Shape::kThreads, Shape::kSharedBytes, stream) {}
  ClusterLaunch(const ClusterLaunch&) = delete;
  ClusterLaunch& operator=(const ClusterLaunch&) = delete;

  const cudaLaunchConfig_t* config() const { return &config_; }

  // The same for a kernel that calls wait_for_previous_grid() (common/dependent_launch.cuh).
  const cudaLaunchConfig_t* dependent() {
    config_.numAttrs = allows_dependent_launch(config_.stream) ? 2 : 1;
    return &config_;
  }

 private:
  std::array<cudaLaunchAttribute, 2> attributes_{};
  cudaLaunchConfig_t config_;
};

// How many clusters of the kernel run at once on this GPU, from now on with as much shared memory
// as the shape has: none where it is not a Hopper.
template <class Shape, class Kernel>
int clusters_at_once(Kernel kernel, const char* name) {
  if (!is_hopper()) {
    return 0;
  }
  int device = 0;
  int blocks = 0;
  check_cuda(cudaGetDevice(&device), "finding the GPU");
  check_cuda(cudaDeviceGetAttribute(&blocks, cudaDevAttrMultiProcessorCount, device),
             "asking for the GPU");
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  Shape::kSharedBytes),
             name);
  const ClusterLaunch launch(Shape{}, blocks / Shape::kCluster, nullptr);
  int clusters = 0;
  check_cuda(cudaOccupancyMaxActiveClusters(&clusters, kernel, launch.config()), name);
  return clusters;
}

}  // namespace yona::cuda
