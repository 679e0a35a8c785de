// Attention over sentences of more than 64 tokens with Hopper's tensor cores (attention/wgmma.cuh):
// what forward and backward share. A block is a warpgroup with 64 rows of one head; it goes over
// the other side in tiles of 64 rows, the next of which is on its way while one is worked on. The
// blocks of all heads over the same rows follow each other, as their channels do in memory.
//
// With a pattern, tiles that no query sees are skipped (attention/tile_sight.cuh); a dilated window
// is a plain one over every dilation-th token.
//
// Only code for sm_90a has these kernels; elsewhere those of attention/mma_tiled.cuh do the same.
#pragma once

#include <type_traits>

#include "yona/backend/cuda/attention/mma_tiled.cuh"
#include "yona/backend/cuda/attention/tile_sight.cuh"
#include "yona/backend/cuda/attention/wgmma.cuh"

namespace yona::cuda {

struct WarpgroupPlace {
  int thread, warp, lane;

  __device__ WarpgroupPlace()
      : thread(static_cast<int>(threadIdx.x)), warp(thread / kLanes), lane(thread % kLanes) {}
  // The first of the warp's rows, and how many of them there are where the tile has `count`.
  __device__ int first() const { return warp * kOwnRows; }
  __device__ int rows_of(int count) const { return min(max(count - first(), 0), kOwnRows); }
};

// Which head, sentence and tile of rows a block has.
struct WarpgroupBlock {
  int head, tile;
  std::int64_t sentence;

  __device__ WarpgroupBlock(int heads, int tiles)
      : head(static_cast<int>(blockIdx.x % heads)),
        tile(static_cast<int>(blockIdx.x / heads % tiles)),
        sentence(blockIdx.x / heads / tiles) {}
};

// Bytes 0 … 7 are those of low and high; four of them by their numbers in the nibbles of `which`,
// or, where a nibble's upper bit is set, the byte's sign in all eight bits.
__device__ inline std::uint32_t select_bytes(std::uint32_t low, std::uint32_t high,
                                             std::uint32_t which) {
  std::uint32_t bytes;
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(low), "r"(high), "r"(which));
  return bytes;
}

// The keep mask of a query for 64 keys as masks of pairs of bf16, in the layout of scores.
struct KeptPairs {
  std::uint32_t even[2], odd[2];  // the lane's keys of each pair are signs of bytes

  __device__ KeptPairs(const std::uint32_t (&words)[2], int lane)
      : even{words[0] << (7 - lane % 4 * 2), words[1] << (7 - lane % 4 * 2)},
        odd{words[0] << (6 - lane % 4 * 2), words[1] << (6 - lane % 4 * 2)} {}

  // Of the lane's two columns in tile t.
  __device__ std::uint32_t of(int t) const {
    const std::uint32_t byte = 8U + static_cast<std::uint32_t>(t) % 4U;
    return select_bytes(even[t / 4], odd[t / 4], byte * 0x0011U + (byte + 4U) * 0x1100U);
  }
};

// The words of the lane's two queries for keys j0 … j0 + 63; beyond `end` they may be anything.
__device__ inline void fetch_keep_words(const KeepMask& table, const std::int64_t (&queries)[2],
                                        int head, int j0, int end, std::uint32_t (&words)[2][2]) {
#pragma unroll
  for (int w = 0; w < 2; ++w) {
    const int j = j0 + w * kWordKeys;
    words[0][w] = j < end ? table.word(queries[0], head, j) : 0;
    words[1][w] = j < end ? table.word(queries[1], head, j) : 0;
  }
}

static_assert(kSightRows == kWarpgroupRows);

// Tiles of the longest sentence, or of the longest of its parts with a dilated window.
inline int tiles_of_part(std::int64_t longest, const AttentionProblem<bf16>& problem) {
  return static_cast<int>(
      blocks_for((longest + problem.dilation - 1) / problem.dilation, kWarpgroupRows));
}

// Calls function with the channels of a head, and what decides who sees whom, as constants.
template <class Function>
void with_width_and_seeing(const AttentionArgs& args, const Function& function) {
  const auto with_width = [&](auto seeing) {
    if (args.d_k == 32) {
      function(std::integral_constant<int, 32>{}, seeing);
    } else {
      function(std::integral_constant<int, 64>{}, seeing);
    }
  };
  if (args.pattern.has_window()) {
    with_width(std::integral_constant<Seeing, Seeing::window>{});
  } else if (args.pattern.has_blocks()) {
    with_width(std::integral_constant<Seeing, Seeing::blocks>{});
  } else {
    with_width(std::integral_constant<Seeing, Seeing::mask>{});
  }
}

// Is this GPU a Hopper, does the library have code for it, and is this, for which mma_fits(), a
// problem for these kernels?
bool wgmma_fits(const AttentionArgs& args);

// The sentences of more than `whole` tokens (attention/head_per_block.cuh).
void launch_attention_wgmma_tiled(const AttentionArgs& args, int done_up_to, const KeepMask& table,
                                  cudaStream_t stream);
// The same backward. The keep mask and the table of queries take
// attention_backward_wgmma_tiled_bytes() of scratch memory.
void launch_attention_backward_wgmma_tiled(const AttentionBackwardArgs& args, int done_up_to,
                                           const KeepMask& keep_mask, const QueryTable& queries,
                                           cudaStream_t stream);
std::int64_t attention_backward_wgmma_tiled_bytes(const AttentionArgs& args);

}  // namespace yona::cuda
