// Descriptions of matrices for the copy engine of Hopper and later (hopper.cuh).
#pragma once

#include <cstdint>
#include <cuda.h>

namespace yona::cuda {

// A row-major matrix of bf16, copied in tiles of rows × cols. `swizzled` tiles are 64 columns wide
// and lie in shared memory as products want them (wgmma.cuh); others lie row by row.
struct TileOfMatrix {
  void* data = nullptr;
  std::int64_t rows = 0, cols = 0;
  std::int64_t stride = 0;  // elements, of rows
  int tile_rows = 0, tile_cols = 0;
  bool swizzled = true;
};

// Fills `map`; false where the driver has no copy engine to describe matrices to, or the matrix
// cannot be described: addresses and strides are multiples of 16 bytes.
bool describe_tiles(const TileOfMatrix& matrix, CUtensorMap& map);

}  // namespace yona::cuda
