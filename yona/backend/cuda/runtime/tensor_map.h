// Tensor maps: descriptions of matrices for TMA, on Hopper and later (common/hopper.cuh).
#pragma once

#include <cstdint>
#include <cuda.h>

#include "yona/backend/view.h"

namespace yona::cuda {

// A row-major matrix of bf16 or f32, copied in tiles of rows × cols. `swizzled` tiles are 128 bytes
// wide and lie in shared memory as products want them (gemm/wgmma.cuh); others lie row by row.
struct TileOfMatrix {
  void* data = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t stride = 0;  // elements, of rows
  int tile_rows = 0, tile_cols = 0;
  bool swizzled = true;
  int element_bytes = 2;  // of bf16; 4 of f32
};

inline TileOfMatrix tiles_of(const View& view, int tile_rows, int tile_cols) {
  return {.data = view.data,
          .rows = view.rows,
          .cols = view.cols,
          .stride = view.stride,
          .tile_rows = tile_rows,
          .tile_cols = tile_cols,
          .element_bytes = static_cast<int>(size_of(view.dtype))};
}

// A matrix of bf16 whose address and rows are multiples of 16 bytes.
inline bool is_bf16_for_copies(const View& view) {
  return view.dtype == DType::bf16 && view.stride % 8 == 0 &&
         reinterpret_cast<std::uintptr_t>(view.data) % 16 == 0;
}

// Fills `map`; false where the driver has no tensor maps, or the matrix
// cannot be described: addresses and strides are multiples of 16 bytes.
bool describe_tiles(const TileOfMatrix& matrix, CUtensorMap& map);

}  // namespace yona::cuda
