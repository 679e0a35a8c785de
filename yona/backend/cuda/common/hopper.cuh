// Hopper's own instructions, by name: barriers in shared memory that count bytes, the engine that
// copies tiles of matrices, and products of warpgroups. Only code compiled for sm_90a may use them:
// YONA_HOPPER is defined there.
//
// Shared memory is named by its 32-bit address. Copies and products read and write it through a
// proxy of their own: what threads wrote is seen there after fence_for_copies().
#pragma once

#include <cstdint>
#include <cuda.h>

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define YONA_HOPPER 1
#endif

namespace yona::cuda::hopper {

constexpr int kWarpgroup = 128;

#ifdef YONA_HOPPER

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- barriers: a phase ends when `count` threads have arrived and the expected bytes are there

__device__ inline void barrier_init(std::uint32_t barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}

// Makes initialised barriers visible to TMA and to the cluster.
__device__ inline void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

// Arrives, and has the phase wait for `bytes` that copies bring.
__device__ inline void barrier_expect(std::uint32_t barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

// Arrives at the barrier that block `rank` of the cluster has at this address.
__device__ inline void barrier_arrive(std::uint32_t barrier, int rank) {
  asm volatile(
      "{\n"
      ".reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
      "}" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

__device__ inline bool barrier_try(std::uint32_t barrier, std::uint32_t parity) {
  std::uint32_t passed = 0;
  asm volatile(
      "{\n"
      ".reg .pred passed;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 passed, [%1], %2;\n"
      "selp.u32 %0, 1, 0, passed;\n"
      "}"
      : "=r"(passed)
      : "r"(barrier), "r"(parity)
      : "memory");
  return passed != 0;
}

// Waits for the end of the phase of that parity: the first phase has parity 0, and a new barrier
// counts as past parity 1.
__device__ inline void barrier_wait(std::uint32_t barrier, std::uint32_t parity) {
  while (!barrier_try(barrier, parity)) {
  }
}

// All threads of the cluster's blocks.
__device__ inline void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}

__device__ inline int cluster_rank() {
  std::uint32_t rank = 0;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// `threads` of the block, whole warps, meet at hardware barrier `id`.
__device__ inline void meet(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Counts as one of the `threads` without waiting.
__device__ inline void arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// ---- copies of tiles, described by tensor maps: x counts elements along a row, y rows

__device__ inline void prefetch_map(const CUtensorMap& map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

__device__ inline void copy_in(std::uint32_t to, const CUtensorMap& map, int x, int y,
                               std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
      "l"(&map), "r"(barrier), "r"(x), "r"(y)
      : "memory");
}

// To the same place in every block of the cluster that `blocks` has a bit for, and to its barrier.
__device__ inline void copy_in_to_all(std::uint32_t to, const CUtensorMap& map, int x, int y,
                                      std::uint32_t barrier, std::uint16_t blocks) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%4, %5}], [%2], %3;" ::"r"(to),
      "l"(&map), "r"(barrier), "h"(blocks), "r"(x), "r"(y)
      : "memory");
}

// Into the L2 cache only.
__device__ inline void prefetch_tile(const CUtensorMap& map, int x, int y) {
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];" ::"l"(&map), "r"(x),
               "r"(y)
               : "memory");
}

__device__ inline void fence_for_copies() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// What lies outside the matrix is not written.
__device__ inline void copy_out(const CUtensorMap& map, int x, int y, std::uint32_t from) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
      "r"(from), "r"(x), "r"(y)
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until all but the last kPending of this thread's copies have read shared memory …
template <int kPending>
__device__ inline void wait_copies_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}
// … or until all of them are done.
__device__ inline void wait_copies_out() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// Four 8×8 matrices of 16-bit elements: lane l gives the address of row l % 8 of matrix l / 8.
__device__ inline void store_matrices(std::uint32_t row, std::uint32_t a, std::uint32_t b,
                                      std::uint32_t c, std::uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

// The same the other way: what a left operand of a product has in registers.
__device__ inline void load_matrices(std::uint32_t (&words)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(row)
               : "memory");
}

// ---- registers of a warpgroup: what one gives back another can have

template <int kRegisters>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

#endif  // YONA_HOPPER

}  // namespace yona::cuda::hopper
