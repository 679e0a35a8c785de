// Kernels that hold a row in registers are compiled for a few widths.
#pragma once

#include <type_traits>

#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

// Calls function(std::integral_constant<int, chunks>, std::bool_constant<whole>) with enough chunks
// of 256 channels; `whole` for the bf16 rows of 512 and 1024 channels that models mostly have,
// where `aligned` says that they are whole packs.
template <class T, class Function>
void with_chunks(std::int64_t cols, bool aligned, const char* kernel, const Function& function) {
  if constexpr (std::is_same_v<T, bf16>) {
    if (aligned && cols == 2 * kChunk) {
      function(std::integral_constant<int, 2>{}, std::true_type{});
      return;
    }
    if (aligned && cols == 4 * kChunk) {
      function(std::integral_constant<int, 4>{}, std::true_type{});
      return;
    }
  }
  if (cols <= kChunk) {
    function(std::integral_constant<int, 1>{}, std::false_type{});
  } else if (cols <= 4 * kChunk) {
    function(std::integral_constant<int, 4>{}, std::false_type{});
  } else if (cols <= 16 * kChunk) {
    function(std::integral_constant<int, 16>{}, std::false_type{});
  } else {
    fail<NotImplemented>("{}: rows of {} channels are wider than the {} of the cuda backend",
                         kernel, cols, 16 * kChunk);
  }
}

}  // namespace yona::cuda
