// Kernels that hold a row in registers are compiled for a few widths.
#pragma once

#include <type_traits>

#include "yona/backend/cuda/rows.cuh"

namespace yona::cuda {

// Calls function(std::integral_constant<int, chunks>) with enough chunks of 256 channels.
template <class Function>
void with_chunks(std::int64_t cols, const char* kernel, const Function& function) {
  if (cols <= 2 * kChunk) {
    function(std::integral_constant<int, 2>{});
  } else if (cols <= 4 * kChunk) {
    function(std::integral_constant<int, 4>{});
  } else if (cols <= 16 * kChunk) {
    function(std::integral_constant<int, 16>{});
  } else {
    fail<NotImplemented>("{}: rows of {} channels are wider than the {} of the cuda backend",
                         kernel, cols, 16 * kChunk);
  }
}

}  // namespace yona::cuda
