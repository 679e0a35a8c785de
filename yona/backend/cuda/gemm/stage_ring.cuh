// A ring of stages in shared memory, filled by TMA and emptied by products: where the next stage
// is, and its barriers. A Tile has kStages of kStageBytes, the left operand's kLeftBytes first.
#pragma once

#include <cstdint>

#include "yona/backend/cuda/common/hopper.cuh"

namespace yona::cuda {

template <class Tile>
struct StageRing {
  std::uint32_t base = 0;      // of shared memory
  std::uint32_t barriers = 0;  // full ones, then empty ones
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ std::uint32_t left() const { return base + stage * Tile::kStageBytes; }
  __device__ std::uint32_t right() const { return left() + Tile::kLeftBytes; }
  __device__ std::uint32_t full() const { return barriers + stage * 8; }
  __device__ std::uint32_t empty() const { return barriers + (Tile::kStages + stage) * 8; }
  __device__ void advance() {
    if (++stage == Tile::kStages) {
      stage = 0;
      parity ^= 1U;
    }
  }
};

#ifdef YONA_HOPPER

// The same where all blocks of a cluster fill each other's stages, which lie at the beginning of
// shared memory: a Shape has kBarriersAt, where their barriers are, and kCluster blocks.
template <class Shape>
struct ClusterRing {
  std::uint32_t base = 0;  // of shared memory
  int stage = 0;
  std::uint32_t parity = 0;

  __device__ std::uint32_t place() const { return base + stage * Shape::kStageBytes; }
  __device__ std::uint32_t full() const { return base + Shape::kBarriersAt + stage * 8; }
  __device__ std::uint32_t empty() const { return full() + Shape::kStages * 8; }
  __device__ void advance() {
    if (++stage == Shape::kStages) {
      stage = 0;
      parity ^= 1U;
    }
  }
  // This warp is done with the stage, which all blocks of the cluster fill. `zero` may depend on
  // what it has waited for.
  __device__ void release(std::uint32_t zero = 0) const {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if (lane < Shape::kCluster) {
      hopper::barrier_arrive(empty() + zero, lane);
    }
    __syncwarp();
  }
  // One thread's: the stage that is now empty in all blocks of the cluster is to be filled.
  __device__ void begin() const {
    hopper::barrier_wait(empty(), parity ^ 1U);
    hopper::barrier_expect(full(), Shape::kStageBytes);
  }
};

#endif  // YONA_HOPPER

}  // namespace yona::cuda
