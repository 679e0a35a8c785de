// Memory that a pass over many rows touches once: what is read for the last time, and what only a
// much later pass reads, is evicted from L2 first, so that the next kernel finds its input there.
#pragma once

#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

// From this number of rows on it matters what the cache keeps; smaller tensors fit.
constexpr std::int64_t kManyRows = 2048;

// The cache policy of such memory.
__device__ inline std::uint64_t evict_first_policy() {
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

// read_raw and store_pack for whole packs of bf16.
__device__ inline Raw<bf16> read_evict_first(const Rows<bf16>& from, std::int64_t row,
                                             std::int64_t channel) {
  const bf16* pack = from.row(row) + channel;
  const std::uint64_t policy = evict_first_policy();
  Raw<bf16> raw;
  uint4& words = raw.words[0];
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)
               : "l"(pack), "l"(policy)
               : "memory");
  return raw;
}

__device__ inline void store_evict_first(const Rows<bf16>& to, std::int64_t row,
                                         std::int64_t channel, const float (&v)[kPack]) {
  bf16* pack = to.row(row) + channel;
  const std::uint64_t policy = evict_first_policy();
  Raw<bf16> raw;
  uint4& words = raw.words[0];
  store8(reinterpret_cast<bf16*>(&raw), v);
  asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(pack),
               "r"(words.x), "r"(words.y), "r"(words.z), "r"(words.w), "l"(policy)
               : "memory");
}

}  // namespace yona::cuda
