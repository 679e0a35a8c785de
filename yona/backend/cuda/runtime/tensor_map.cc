#include "yona/backend/cuda/runtime/tensor_map.h"

#include <cuda_runtime.h>

namespace yona::cuda {

namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

// The driver's function, found at run time: linking the driver itself would keep the library from
// being loaded where there is none.
Encode find_encode() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned kVersion = 12000;  // that the function came with
  const cudaError_t status = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function,
                                                              kVersion, cudaEnableDefault, &found);
  if (status != cudaSuccess || found != cudaDriverEntryPointSuccess) {
    cudaGetLastError();  // not an error of ours: the caller does without
    return nullptr;
  }
  return reinterpret_cast<Encode>(function);
}

}  // namespace

bool describe_tiles(const TileOfMatrix& matrix, CUtensorMap& map) {
  static const Encode encode = find_encode();
  if (encode == nullptr) {
    return false;
  }
  const cuuint64_t extents[] = {static_cast<cuuint64_t>(matrix.cols),
                                static_cast<cuuint64_t>(matrix.rows)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(matrix.stride * matrix.element_bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(matrix.tile_cols),
                            static_cast<cuuint32_t>(matrix.tile_rows)};
  const cuuint32_t steps[] = {1, 1};
  const CUtensorMapDataType type = matrix.element_bytes == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                                             : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  return encode(&map, type, 2, matrix.data, extents, strides, box, steps,
                CU_TENSOR_MAP_INTERLEAVE_NONE,
                matrix.swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace yona::cuda
