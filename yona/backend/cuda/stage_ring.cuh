// A ring of stages in shared memory, filled by the copy engine and emptied by products: where the
// next stage is, and its barriers. A Tile has kStages of kStageBytes, the left operand's kLeftBytes
// first.
#pragma once

#include <cstdint>

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

}  // namespace yona::cuda
