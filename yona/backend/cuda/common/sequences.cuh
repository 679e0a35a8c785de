// Which sequence of a ragged batch a row belongs to.
#pragma once

#include <cstdint>

namespace yona::cuda {

// The last sequence s with offsets[s] + s · more ≤ row, where sequences are `more` rows longer than
// their offsets say. Sequences without rows come out only where `more` gives them some.
__device__ inline std::int64_t sequence_of(const std::int64_t* offsets, std::int64_t sequences,
                                           std::int64_t row, std::int64_t more = 0) {
  std::int64_t low = 0;
  std::int64_t high = sequences - 1;
  while (low < high) {
    const std::int64_t middle = (low + high + 1) / 2;
    if (offsets[middle] + middle * more <= row) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace yona::cuda
