// Kernels that hold a row in registers are compiled for a few widths.
#pragma once

#include <type_traits>

#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

// Calls function(std::integral_constant<int, chunks>, std::bool_constant<whole>) with enough chunks
// of 256 channels; `whole` for the bf16 rows that models mostly have, of 512 to 1,536 and 2,048
// channels, where `aligned` says that they are whole packs.
template <class T, class Function>
void with_chunks(std::int64_t cols, bool aligned, const char* kernel, const Function& function) {
  if constexpr (std::is_same_v<T, bf16>) {
    switch (aligned && cols % kChunk == 0 ? cols / kChunk : 0) {
      case 2:
        return function(std::integral_constant<int, 2>{}, std::true_type{});
      case 3:
        return function(std::integral_constant<int, 3>{}, std::true_type{});
      case 4:
        return function(std::integral_constant<int, 4>{}, std::true_type{});
      case 5:
        return function(std::integral_constant<int, 5>{}, std::true_type{});
      case 6:
        return function(std::integral_constant<int, 6>{}, std::true_type{});
      case 8:
        return function(std::integral_constant<int, 8>{}, std::true_type{});
      default:
        break;
    }
  }
  if (cols <= kChunk) {
    function(std::integral_constant<int, 1>{}, std::false_type{});
  } else if (cols <= 2 * kChunk) {
    function(std::integral_constant<int, 2>{}, std::false_type{});
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
