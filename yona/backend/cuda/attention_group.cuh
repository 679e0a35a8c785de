// Attention over sentences of more than 64 tokens with Hopper's tensor cores (wgmma.cuh): what
// forward and backward share. A block takes the rows of one head, 64 to each of its warpgroups, and
// goes over the other side in tiles of 64 rows, the next of which is on its way while one is worked
// on. The blocks of all heads over the same rows follow each other, as their channels do in memory.
//
// Dropout decisions come from a table, a bit for each head, query and key (DecisionTable).
#pragma once

#include "yona/backend/cuda/attention_long.cuh"
#include "yona/backend/cuda/wgmma.cuh"

namespace yona::cuda {

struct GroupPlace {
  int thread, group, warp, lane;  // the warpgroup in the block, and the warp in the group

  __device__ GroupPlace()
      : thread(static_cast<int>(threadIdx.x)),
        group(thread / kGroupThreads),
        warp(thread / kLanes % (kGroupThreads / kLanes)),
        lane(thread % kLanes) {}
};

// Which head, sentence and tile of rows a block has.
struct GroupBlock {
  int head, tile;
  std::int64_t sentence;

  __device__ GroupBlock(int heads, int tiles)
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

// The decisions of a query for 64 keys as masks of pairs of bf16, in the layout of scores.
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

// The table, and with `delta` also D of every query of a long sentence and its log-sum times
// log2(e): [h, table.queries] each.
DecisionTable prepare_decisions(const AttentionArgs& args, CudaExec& exec, const View& dout = {},
                                float* lse = nullptr, float* delta = nullptr);

void launch_attention_group(const AttentionArgs& args, CudaExec& exec, int groups);
void launch_attention_backward_group(const AttentionBackwardArgs& args, CudaExec& exec, int groups,
                                     int columns);

}  // namespace yona::cuda
