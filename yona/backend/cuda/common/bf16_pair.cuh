// Two numbers rounded to bf16 in one word.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>

namespace yona::cuda {

__device__ inline std::uint32_t pack_bf16(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}

}  // namespace yona::cuda
