// What the blocks of a cluster send each other (sm_90): stores into the shared memory of another
// block, which count towards a barrier there. Addition to common/hopper.cuh.
#pragma once

#include "yona/backend/cuda/common/hopper.cuh"

namespace yona::cuda::hopper {

#ifdef YONA_HOPPER

// The address in block `rank` of the cluster of what is at `address` here.
__device__ inline std::uint32_t address_in(std::uint32_t address, int rank) {
  std::uint32_t remote = 0;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(rank));
  return remote;
}

// Stores into another block; the bytes count towards its barrier. Both addresses by address_in().
__device__ inline void send(std::uint32_t to, float value, std::uint32_t barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(to),
      "f"(value), "r"(barrier)
      : "memory");
}
__device__ inline void send(std::uint32_t to, float a, float b, std::uint32_t barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::
          "r"(to),
      "f"(a), "f"(b), "r"(barrier)
      : "memory");
}

// Arrives at a barrier of this block.
__device__ inline void barrier_arrive_here(std::uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// barrier_wait for what other blocks sent.
__device__ inline void barrier_wait_cluster(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t passed = 0;
  do {
    asm volatile(
        "{\n"
        ".reg .pred passed;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 passed, [%1], %2;\n"
        "selp.u32 %0, 1, 0, passed;\n"
        "}"
        : "=r"(passed)
        : "r"(barrier), "r"(parity)
        : "memory");
  } while (passed == 0);
}

// cluster_sync in two halves, with work between them.
__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

#endif  // YONA_HOPPER

}  // namespace yona::cuda::hopper
