// The place of a warp in an element-wise kernel: one chunk of one row.
#pragma once

#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

struct Place {
  std::int64_t row = 0;
  std::int64_t first = 0;    // channel of the chunk
  std::int64_t channel = 0;  // of this lane's pack
  int lane = 0;
  bool there = false;  // the same for the whole warp
};

// For a grid of blocks_for(rows · chunks_of(cols), kWarps) blocks of kThreads threads.
__device__ inline Place place_of_warp(std::int64_t rows, std::int64_t cols) {
  const std::int64_t chunks = (cols + kChunk - 1) / kChunk;
  const std::int64_t item =
      static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kLanes;
  Place place;
  place.there = item < rows * chunks;
  if (place.there) {
    place.lane = static_cast<int>(threadIdx.x) % kLanes;
    place.row = item / chunks;
    place.first = item % chunks * kChunk;
    place.channel = place.first + place.lane * kPack;
  }
  return place;
}

inline unsigned blocks_of_packs(const View& view) {
  return blocks_for(view.rows * ((view.cols + kChunk - 1) / kChunk), kWarps);
}

}  // namespace yona::cuda
