// Which elements dropout keeps: the meaning that every backend must reproduce bit for bit.
//
// A decision is a 16-bit number compared with a threshold. It is named by logical coordinates
// only: the key (seed, update, micro-batch, rank, pass), the stream (module), the row's key
// (sentence and position in it), and the channel; so it does not depend on the batch's layout, the
// backend or the number of threads, and can be made again in the backward pass instead of stored.
//
// One Philox block gives eight decisions. Channels are dealt to blocks in groups of 128 so that
// sixteen neighbouring channels take the same 16-bit lane of sixteen neighbouring blocks: a SIMD
// kernel of any width up to 16 computes whole vectors of decisions without shuffling.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "yona/base/random.h"

namespace yona {

inline constexpr int kDropoutRounds = 7;

struct Dropout {
  std::uint32_t threshold = 0;  // of 65,536: a decision below it drops; 0 keeps everything
  float scale = 1.0F;           // 1 / (1 - p) for the p that the threshold stands for
  std::uint64_t key = 0;
  std::uint32_t stream = 0;

  explicit operator bool() const { return threshold != 0; }

  static Dropout with(double p, std::uint64_t key, std::uint32_t stream) {
    const auto threshold =
        std::min(static_cast<std::uint32_t>(std::lround(p * 65536.0)), std::uint32_t{65535});
    return {threshold, static_cast<float>(65536.0 / (65536.0 - threshold)), key, stream};
  }
};

// Eight decisions of one block; decision `lane` is bits 16·(lane%2) of word lane/2.
inline PhiloxBlock dropout_block(const Dropout& dropout, std::uint32_t block, std::uint64_t row_key,
                                 std::uint32_t part = 0) {
  return philox<kDropoutRounds>({block, static_cast<std::uint32_t>(row_key),
                                 static_cast<std::uint32_t>(row_key >> 32U), dropout.stream + part},
                                dropout.key);
}

inline std::uint32_t dropout_lane(const PhiloxBlock& block, int lane) {
  return (block[static_cast<std::size_t>(lane / 2)] >> (16U * static_cast<unsigned>(lane % 2))) &
         0xFFFFU;
}

// Element-wise dropout of a row: is this channel kept?
inline bool keeps(const Dropout& dropout, std::uint64_t row_key, std::int64_t channel) {
  const auto block = static_cast<std::uint32_t>(channel / 128 * 16 + channel % 16);
  const auto lane = static_cast<int>(channel % 128 / 16);
  return dropout_lane(dropout_block(dropout, block, row_key), lane) >= dropout.threshold;
}

// Attention dropout: is the weight of this query (by its row key), key position and head kept?
// Eight heads share a block, so that one block serves a query and key position for all of them.
inline bool keeps_weight(const Dropout& dropout, std::uint64_t query_key, std::int64_t key_position,
                         std::int64_t head) {
  const PhiloxBlock block = dropout_block(dropout, static_cast<std::uint32_t>(key_position),
                                          query_key, static_cast<std::uint32_t>(head / 8));
  return dropout_lane(block, static_cast<int>(head % 8)) >= dropout.threshold;
}

}  // namespace yona
