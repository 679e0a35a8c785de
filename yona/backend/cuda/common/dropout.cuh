// Dropout decisions on the device, bit for bit those of backend/dropout.h.
#pragma once

#include "yona/backend/cuda/common/rows.cuh"
#include "yona/backend/dropout.h"

namespace yona::cuda {

__device__ inline uint4 dropout_words(const Dropout& dropout, std::uint32_t block,
                                      std::uint64_t row_key, std::uint32_t part) {
  std::uint32_t c0 = block;
  auto c1 = static_cast<std::uint32_t>(row_key);
  auto c2 = static_cast<std::uint32_t>(row_key >> 32U);
  std::uint32_t c3 = dropout.stream + part;
  auto key0 = static_cast<std::uint32_t>(dropout.key);
  auto key1 = static_cast<std::uint32_t>(dropout.key >> 32U);
#pragma unroll
  for (int round = 0; round < kDropoutRounds; ++round) {
    const std::uint32_t high0 = __umulhi(0xD2511F53U, c0);
    const std::uint32_t low0 = 0xD2511F53U * c0;
    const std::uint32_t high1 = __umulhi(0xCD9E8D57U, c2);
    const std::uint32_t low1 = 0xCD9E8D57U * c2;
    c0 = high1 ^ c1 ^ key0;
    c1 = low1;
    c2 = high0 ^ c3 ^ key1;
    c3 = low0;
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return make_uint4(c0, c1, c2, c3);
}

// The eight decisions of a block, as bits: 1 keeps.
__device__ inline std::uint32_t kept_lanes(const uint4& words, std::uint32_t threshold) {
  const std::uint32_t word[4] = {words.x, words.y, words.z, words.w};
  std::uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    bits |= ((word[i] & 0xFFFFU) >= threshold ? 1U : 0U) << (2 * i);
    bits |= ((word[i] >> 16U) >= threshold ? 1U : 0U) << (2 * i + 1);
  }
  return bits;
}

// Element-wise dropout of the eight channels of this lane in the chunk that begins at channel
// `first` (a multiple of 256): bit i keeps channel first + 8·lane + i; or, with the chunk in two
// pieces of 128, bits 0 to 3 keep those from first + 4·lane on and bits 4 to 7 those from
// first + 128 + 4·lane on. The whole warp takes part.
//
// Block b of a chunk decides channels c with c % 16 = b % 16 in group b / 16 of 128; each lane
// computes one block, and the warp turns blocks × decisions into neighbours by votes.
template <int kPieces = 1>
__device__ inline std::uint32_t kept_channels(const Dropout& dropout, std::uint64_t row_key,
                                              std::int64_t first, int lane) {
  const auto block = static_cast<std::uint32_t>(first / 8 + lane);
  const uint4 words = dropout_words(dropout, block, row_key, 0);
  const std::uint32_t word[4] = {words.x, words.y, words.z, words.w};
  const int decision = kPieces == 1 ? lane % 16 / 2 : lane / 4;
  std::uint32_t votes = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t low = __ballot_sync(0xFFFFFFFFU, (word[i] & 0xFFFFU) >= dropout.threshold);
    const std::uint32_t high = __ballot_sync(0xFFFFFFFFU, (word[i] >> 16U) >= dropout.threshold);
    votes = decision == 2 * i ? low : decision == 2 * i + 1 ? high : votes;
  }
  if constexpr (kPieces == 1) {
    return (votes >> (lane / 16 * 16 + lane % 2 * 8)) & 0xFFU;
  } else {
    const std::uint32_t fours = votes >> (lane % 4 * 4);
    return (fours & 0xFU) | (fours >> 12U & 0xF0U);
  }
}

// v ← dropout(v), bit i of `kept` keeping v[i].
__device__ inline void drop(const Dropout& dropout, std::uint32_t kept, float (&v)[kPack]) {
#pragma unroll
  for (int i = 0; i < kPack; ++i) {
    v[i] = (kept >> i) & 1U ? v[i] * dropout.scale : 0.0F;
  }
}

// The same for the lane's pack of a chunk.
__device__ inline void drop(const Dropout& dropout, std::uint64_t row_key, std::int64_t first,
                            int lane, float (&v)[kPack]) {
  drop(dropout, kept_channels(dropout, row_key, first, lane), v);
}

// Attention dropout: is the weight of this query, key position and head kept?
__device__ inline bool keeps_weight_here(const Dropout& dropout, std::uint64_t query_key,
                                         std::int64_t key_position, int head) {
  const uint4 words = dropout_words(dropout, static_cast<std::uint32_t>(key_position), query_key,
                                    static_cast<std::uint32_t>(head / 8));
  return (kept_lanes(words, dropout.threshold) >> (head % 8)) & 1U;
}

}  // namespace yona::cuda
