// Attention with tensor cores over sentences of more than 64 tokens: what forward and backward
// share. A block takes 64 rows of two heads, four warps to a head, and goes over the other side in
// tiles of 32 rows, the next of which is on its way while one is worked on.
//
// One Philox block decides the dropout of a weight for eight heads, and a block of this size has
// two: the keep mask is made by a kernel of its own, a bit for each head, query and key.
#pragma once

#include "yona/backend/cuda/attention/mma_weights.cuh"

namespace yona::cuda {

constexpr int kLongWarps = 8;
constexpr int kLongThreads = kLongWarps * kLanes;
constexpr int kLongHeads = 2;
constexpr int kWarpsOfHead = kLongWarps / kLongHeads;
constexpr int kLongRows = kWarpsOfHead * kOwnRows;

struct LongPlace {
  int warp, lane, part, slot, head;  // part: the number of the warp in its head

  __device__ LongPlace()
      : warp(static_cast<int>(threadIdx.x) / kLanes),
        lane(static_cast<int>(threadIdx.x) % kLanes),
        part(warp % kWarpsOfHead),
        slot(warp / kWarpsOfHead),
        head(static_cast<int>(blockIdx.y) * kLongHeads + slot) {}
};

__device__ inline bool is_long(const Sentence& sentence) {
  return max(sentence.queries, sentence.keys) > kLongestShort;
}

// Begins to copy this warp's share of a tile of the head: 8 of 32 rows.
template <int D>
__device__ void stage_part(const Rows<bf16>& from, std::int64_t first, int count,
                           const LongPlace& at, bf16* tile) {
  constexpr int kRows = kOtherRows / kWarpsOfHead;
  const int mine = at.part * kRows;
  stage_async<D, kRows>(from, first + mine, min(max(count - mine, 0), kRows), at.head,
                        tile + mine * MmaHead<D>::kStride);
}

// The keep mask of a call, for queries by their rows in the batch.
struct KeepMask {
  std::uint32_t* words = nullptr;  // [heads in whole groups, words of a query, queries]; or nothing
  std::int64_t queries = 0;        // padded by a tile
  std::int64_t words_of_query = 0;

  // The words of all queries for the 32 keys that key j of its sentence is one of.
  __device__ std::uint32_t* of(int head, int j) const {
    return words + (head * words_of_query + j / kWordKeys) * queries;
  }
  __device__ std::uint32_t word(std::int64_t query, int head, int j) const {
    return words == nullptr ? kAllKept : of(head, j)[query];
  }
};

// What the backward pass knows of the queries of long sentences, by their rows in the batch.
struct QueryTable {
  float* lse = nullptr;    // [heads, queries]: log-sums, times log2(e)
  float* delta = nullptr;  // [heads, queries]: D of attention/general_backward.cuh
  std::int64_t queries = 0;

  __device__ float* lse_of(int head) const { return lse + head * queries; }
  __device__ float* delta_of(int head) const { return delta + head * queries; }
};

// Takes keep_mask_bytes() of scratch memory: nothing without dropout, or where the args have memory
// for it.
KeepMask make_keep_mask(const AttentionArgs& args, CudaExec& exec);
std::int64_t keep_mask_bytes(const AttentionArgs& args);
// In backward: those that forward has left, or the same made again.
KeepMask keep_mask_of_forward(const AttentionArgs& args, CudaExec& exec);
// The same and the queries' table, which takes query_table_bytes() more, in one kernel.
KeepMask make_keep_mask(const AttentionArgs& args, const View& dout, CudaExec& exec,
                        QueryTable& queries);
std::int64_t query_table_bytes(const AttentionArgs& args);

}  // namespace yona::cuda
