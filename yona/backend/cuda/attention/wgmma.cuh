// Products of a warpgroup (128 threads) with the tensor cores of Hopper (wgmma, sm_90a), for tiles
// of 64 rows of bf16: what the kernels of attention/wgmma_tiled.cuh are made of.
//
// A tile has 64 rows of one head, D channels of 2 bytes, so that a row is as long as a swizzle's
// span (128 bytes, or 64): piece c of 16 bytes of row r lies at piece c ^ (r % 8) of the row, or at
// c ^ (r / 2 % 4). The same tile serves as left operand, as right operand with its channels summed
// over (x yᵀ), and as right operand with its rows summed over (weights · y).
//
// Sums and left operands in registers lie as those of mma.m16n8k16 do: warp w of the group has rows
// 16w … 16w + 15.
#pragma once

#include "yona/backend/cuda/attention/mma_weights.cuh"

// Has the GPU that is being compiled for these instructions? sm_90a alone does; the host reads the
// code without compiling them. Elsewhere the kernels are empty, and are not launched.
#if !defined(__CUDA_ARCH__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define YONA_ATTENTION_WGMMA 1
#endif

namespace yona::cuda {

constexpr int kWarpgroupThreads = 128;
constexpr int kWarpgroupRows = 64;  // rows of a tile, and of a warpgroup
constexpr int kWarpgroupTiles =
    kWarpgroupRows / 8;  // of 8 columns, where those are rows of the other side

using WarpgroupScores = float[kWarpgroupTiles][4];
using WarpgroupWeights = std::uint32_t[kWarpgroupTiles / 2][4];  // as left operand

template <int D>
struct WarpgroupHead {
  static constexpr int kPieces = D / 8;  // of 16 bytes, in a row
  static constexpr int kTileBytes = kWarpgroupRows * D * 2;
  static constexpr int kEightRows = 8 * D * 2;                // bytes of eight rows
  static constexpr std::uint64_t kSwizzle = D == 64 ? 1 : 2;  // 128 bytes, or 64

  // Where piece c of row r is in a tile.
  __device__ static int place(int r, int c) {
    return r * D * 2 + (c ^ (D == 64 ? r % 8 : r / 2 % 4)) * 16;
  }
  // What tells the tensor core of a tile, or of what begins at a piece of its first row or at a
  // multiple of eight rows.
  __device__ static std::uint64_t descriptor(std::uint32_t address) {
    return std::uint64_t{(address & 0x3FFFFU) >> 4U} | std::uint64_t{1} << 16U |
           std::uint64_t{kEightRows >> 4} << 32U | kSwizzle << 62U;
  }
};

// Begins to copy rows `first` … of one head, `count` of 64, into a tile; the others become zero.
// The whole warpgroup takes part.
template <int D>
__device__ void stage_tile(const Rows<bf16>& from, std::int64_t first, int count, int head,
                           int thread, std::uint32_t tile) {
  constexpr int kPieces = WarpgroupHead<D>::kPieces;
  constexpr int kRowsAtOnce = kWarpgroupThreads / kPieces;
  const int piece = thread % kPieces;
#pragma unroll
  for (int r = 0; r < kWarpgroupRows; r += kRowsAtOnce) {
    const int row = r + thread / kPieces;
    const bf16* source = row < count ? from.row(first + row) + head * D + piece * 8 : from.data;
    const std::uint32_t to = tile + WarpgroupHead<D>::place(row, piece);
    const int bytes = row < count ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(source), "r"(bytes)
                 : "memory");
  }
}

// Copies of this thread up to here are a group; waits for all groups but the last kLeft.
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int kLeft>
__device__ inline void wait_for_copy_groups() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

// `threads` of the block, whole warps, meet at hardware barrier `id`, or count as there without
// waiting.
__device__ inline void meet_threads(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ inline void arrive_for(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// What threads have written to shared memory becomes visible to the tensor cores; a barrier
// follows.
__device__ inline void show_to_tensor_cores() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Registers that products read or add to are what the thread has made them; comes before products.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Until all products but the last kLeft groups are done.
template <int kLeft = 0>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kLeft) : "memory");
}

// c = (or +=) a · bᵀ over 16 channels: a and b are tiles.
template <int kAdd>
__device__ inline void multiply_tiles(float (&c)[8][4], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"
      "%25,%26,%27,%28,%29,%30,%31}, %32, %33, %34, 1, 1, 0, 0;"
      : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),
        "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),
        "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3]), "+f"(c[4][0]), "+f"(c[4][1]),
        "+f"(c[4][2]), "+f"(c[4][3]), "+f"(c[5][0]), "+f"(c[5][1]), "+f"(c[5][2]), "+f"(c[5][3]),
        "+f"(c[6][0]), "+f"(c[6][1]), "+f"(c[6][2]), "+f"(c[6][3]), "+f"(c[7][0]), "+f"(c[7][1]),
        "+f"(c[7][2]), "+f"(c[7][3])
      : "l"(a), "l"(b), "n"(kAdd));
}

// c += a · b over 16 rows of the tile b: a is in registers.
__device__ inline void add_weighted(float (&c)[8][4], const std::uint32_t (&a)[4],
                                    std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"
      "%25,%26,%27,%28,%29,%30,%31}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
      : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),
        "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),
        "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3]), "+f"(c[4][0]), "+f"(c[4][1]),
        "+f"(c[4][2]), "+f"(c[4][3]), "+f"(c[5][0]), "+f"(c[5][1]), "+f"(c[5][2]), "+f"(c[5][3]),
        "+f"(c[6][0]), "+f"(c[6][1]), "+f"(c[6][2]), "+f"(c[6][3]), "+f"(c[7][0]), "+f"(c[7][1]),
        "+f"(c[7][2]), "+f"(c[7][3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ inline void add_weighted(float (&c)[4][4], const std::uint32_t (&a)[4],
                                    std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19}, %20, 1, 1, 1, "
      "1;"
      : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),
        "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),
        "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// c += aᵀ · b over 16 rows of the tiles a and b, or, with kCrossed = 0, a · b over 16 columns of a
// and 16 rows of b.
template <int kCrossed>
__device__ inline void add_product(float (&c)[8][4], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"
      "%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, %34, %35;"
      : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),
        "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),
        "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3]), "+f"(c[4][0]), "+f"(c[4][1]),
        "+f"(c[4][2]), "+f"(c[4][3]), "+f"(c[5][0]), "+f"(c[5][1]), "+f"(c[5][2]), "+f"(c[5][3]),
        "+f"(c[6][0]), "+f"(c[6][1]), "+f"(c[6][2]), "+f"(c[6][3]), "+f"(c[7][0]), "+f"(c[7][1]),
        "+f"(c[7][2]), "+f"(c[7][3])
      : "l"(a), "l"(b), "n"(kCrossed), "n"(1));
}
template <int kCrossed>
__device__ inline void add_product(float (&c)[4][4], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
      "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, 1, 1, 1, %18, %19;"
      : "+f"(c[0][0]), "+f"(c[0][1]), "+f"(c[0][2]), "+f"(c[0][3]), "+f"(c[1][0]), "+f"(c[1][1]),
        "+f"(c[1][2]), "+f"(c[1][3]), "+f"(c[2][0]), "+f"(c[2][1]), "+f"(c[2][2]), "+f"(c[2][3]),
        "+f"(c[3][0]), "+f"(c[3][1]), "+f"(c[3][2]), "+f"(c[3][3])
      : "l"(a), "l"(b), "n"(kCrossed), "n"(1));
}

// Puts four 8×8 matrices down: lane l gives the place of row l % 8 of matrix l / 8.
__device__ inline void put_matrices(const std::uint32_t (&words)[4], std::uint32_t row) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(words[0]), "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
}

// Puts a warp's weights of 16 queries and 64 keys into a tile of 64 × 64 of them; `row` is where
// the tile has the first key of query lane % 16.
__device__ inline void put_weights(const WarpgroupWeights& weights, std::uint32_t row, int lane) {
#pragma unroll
  for (int step = 0; step < kWarpgroupTiles / 2; ++step) {
    put_matrices(weights[step], row + ((2 * step + lane / 16) ^ (lane % 8)) * 16);
  }
}

// Starts sums += weightsᵀ · tile, with the weights in a tile of 64 × 64.
template <int D>
__device__ void start_crossed_sums(std::uint32_t weights, std::uint32_t tile,
                                   float (&sums)[MmaHead<D>::kTiles][4]) {
  const std::uint64_t a = WarpgroupHead<64>::descriptor(weights);
  const std::uint64_t b = WarpgroupHead<D>::descriptor(tile);
#pragma unroll
  for (int step = 0; step < kWarpgroupRows / 16; ++step) {  // 16 rows each
    add_product<1>(sums, a + step * (2 * WarpgroupHead<64>::kEightRows >> 4),
                   b + step * (2 * WarpgroupHead<D>::kEightRows >> 4));
  }
}

// Starts scores = own · otherᵀ.
template <int D>
__device__ void start_scores(std::uint32_t own, std::uint32_t other, WarpgroupScores& scores) {
  const std::uint64_t a = WarpgroupHead<D>::descriptor(own);
  const std::uint64_t b = WarpgroupHead<D>::descriptor(other);
  multiply_tiles<0>(scores, a, b);
#pragma unroll
  for (int step = 1; step < D / 16; ++step) {  // 32 bytes along the rows each
    multiply_tiles<1>(scores, a + 2 * step, b + 2 * step);
  }
}

// Starts sums += weights · tile.
template <int D>
__device__ void start_sums(const WarpgroupWeights& weights, std::uint32_t tile,
                           float (&sums)[MmaHead<D>::kTiles][4]) {
  const std::uint64_t b = WarpgroupHead<D>::descriptor(tile);
#pragma unroll
  for (int step = 0; step < kWarpgroupRows / 16; ++step) {  // 16 rows each
    add_weighted(sums, weights[step], b + step * (2 * WarpgroupHead<D>::kEightRows >> 4));
  }
}

// The same with the weights in a tile of 64 × 64 of them.
template <int D>
__device__ void start_sums(std::uint32_t weights, std::uint32_t tile,
                           float (&sums)[MmaHead<D>::kTiles][4]) {
  const std::uint64_t a = WarpgroupHead<64>::descriptor(weights);
  const std::uint64_t b = WarpgroupHead<D>::descriptor(tile);
#pragma unroll
  for (int step = 0; step < kWarpgroupRows / 16; ++step) {  // 16 keys each
    add_product<0>(sums, a + 2 * step, b + step * (2 * WarpgroupHead<D>::kEightRows >> 4));
  }
}

}  // namespace yona::cuda
