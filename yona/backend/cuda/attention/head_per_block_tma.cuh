// Attention forward over sentences of 65 to 256 tokens: what a block has of one item (WholeItem) in
// shared memory, and how one thread has the copy engine bring it there; see
// attention/head_per_block_forward.cuh.
#pragma once

#include "yona/backend/cuda/attention/head_per_block.cuh"
#include "yona/backend/cuda/common/cluster.cuh"
#include "yona/backend/cuda/runtime/tensor_map.h"

namespace yona::cuda {

constexpr int kWholeChannels = 64;  // of a head

struct WholeMaps {
  CUtensorMap q, k, v;
};

// What one item has in shared memory, in slots: tile t of head h has slot h * tiles + t.
struct WholeBuffer {
  static constexpr int kTile = GroupHead<kWholeChannels>::kTileBytes;
  static constexpr int kQ = 0;  // and, when a tile of queries is done, its results
  static constexpr int kK = kQ + kWholeTiles * kTile;
  static constexpr int kV = kK + kWholeTiles * kTile;
  static constexpr int kKept = kV + kWholeTiles * kTile;
  // Rows of words, one for each 32 keys: those of all queries, from where 16 bytes begin in memory.
  static constexpr int kWords = kLongestWhole / kWordKeys;
  static constexpr int kRow = (kLongestWhole + 8) * 4;
  static constexpr int kBytes = (kKept + kWords * kRow + 1023) / 1024 * 1024;

  __device__ static int row_of(int head, int word) {
    return kKept + (head * (kWords / 2) + word) * kRow;
  }
};
static_assert(WholeBuffer::kKept % 16 == 0 && WholeBuffer::kRow % 16 == 0);

// Barriers of a buffer, in shared memory: the queries of a slot are there; its keys, values and
// decisions are; the last values have no rows of others any more; and all is read.
enum WholeBarriers {
  kOfQueries = 0,
  kOfKeys = kOfQueries + kWholeTiles,
  kOfTail = kOfKeys + kWholeTiles,
  kOfEmpty,
  kWholeBarriers
};

constexpr int kWholeBuffers = 2;

// Behind the buffers.
struct WholeTail {
  std::uint64_t barriers[kWholeBuffers][kWholeBarriers];
  alignas(16) unsigned char items[kWholeBuffers][sizeof(WholeItem)];
};

// A block (cluster_launch.h).
struct WholeRing {
  static constexpr int kCluster = 1;
  static constexpr int kConsumers = kWholeTiles * kGroupThreads;
  static constexpr int kThreads = kConsumers + kGroupThreads;
  static constexpr int kTailAt = kWholeBuffers * WholeBuffer::kBytes;
  static constexpr int kSharedBytes = kTailAt + static_cast<int>(sizeof(WholeTail));
};

#ifdef YONA_HOPPER

// A buffer and its barriers, in the phase of `parity`.
struct WholePlaces {
  unsigned char* bytes;
  std::uint32_t buffer;  // the same, as an address of shared memory
  std::uint32_t barriers;
  std::uint32_t parity;

  __device__ std::uint32_t barrier(int which) const { return barriers + which * 8; }
  __device__ void wait(int which) const { hopper::barrier_wait(barrier(which), parity); }
};

// 16-byte pieces of memory, on addresses that are multiples of 16.
__device__ inline void copy_bytes_in(std::uint32_t to, const void* from, int bytes,
                                     std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1], %2, [%3];" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}

// How many words lie between the last 16 bytes and the first query's word for keys 32 `word` ….
__device__ inline int words_before(const DecisionTable& table, int head, int word,
                                   std::int64_t query) {
  const auto row = static_cast<unsigned>(head * static_cast<int>(table.words_of_query) + word);
  return static_cast<int>(
      (row * static_cast<unsigned>(table.queries) + static_cast<unsigned>(query)) & 3U);
}
__device__ inline int bytes_of_words(int before, int queries) {
  return (before + queries + 3) / 4 * 16;
}

// Begins the copies of a slot's queries.
__device__ inline void send_for_queries(const WholeMaps& maps, const WholeItem& item, int slot,
                                        const WholePlaces& to) {
  const int head = slot / item.tiles;
  const int tile = slot % item.tiles;
  const std::uint32_t barrier = to.barrier(kOfQueries + slot);
  if (head >= item.heads || tile >= item.query_tiles) {
    hopper::barrier_expect(barrier, 0);
    return;
  }
  hopper::barrier_expect(barrier, WholeBuffer::kTile);
  hopper::copy_in(to.buffer + WholeBuffer::kQ + slot * WholeBuffer::kTile, maps.q,
                  (item.head + head) * kWholeChannels,
                  static_cast<int>(item.sentence.first_query) + tile * kGroupRows, barrier);
}

// Begins the copies of a slot's keys, values and decisions.
template <bool kDropout>
__device__ void send_for_keys(const DecisionTable& table, const WholeMaps& maps,
                              const WholeItem& item, int slot, const WholePlaces& to) {
  const Sentence& sentence = item.sentence;
  const int own = slot / item.tiles;
  const int tile = slot % item.tiles;
  const int head = item.head + own;
  const std::uint32_t barrier = to.barrier(kOfKeys + slot);
  if (own >= item.heads || tile >= item.key_tiles) {
    hopper::barrier_expect(barrier, 0);
    return;
  }
  int bytes = 2 * WholeBuffer::kTile;
  int words = 0;
  if (kDropout) {
    words = min(2, (sentence.keys - tile * kGroupRows + kWordKeys - 1) / kWordKeys);
    for (int w = 0; w < words; ++w) {
      bytes += bytes_of_words(words_before(table, head, 2 * tile + w, sentence.first_query),
                              sentence.queries);
    }
  }
  hopper::barrier_expect(barrier, bytes);
  const int row = static_cast<int>(sentence.first_key) + tile * kGroupRows;
  const std::uint32_t place = to.buffer + slot * WholeBuffer::kTile;
  hopper::copy_in(place + WholeBuffer::kK, maps.k, head * kWholeChannels, row, barrier);
  for (int w = 0; w < words; ++w) {
    const int word = 2 * tile + w;
    const int before = words_before(table, head, word, sentence.first_query);
    copy_bytes_in(to.buffer + WholeBuffer::row_of(own, word),
                  table.of(head, word * kWordKeys) + sentence.first_query - before,
                  bytes_of_words(before, sentence.queries), barrier);
  }
  hopper::copy_in(place + WholeBuffer::kV, maps.v, head * kWholeChannels, row, barrier);
}

// Zeroes the rows of the last tile of values of every head that are not the sentence's: their
// weights are zero, which may not be enough. A whole warpgroup takes part, and arrives.
__device__ inline void clear_tail(const WholeItem& item, const WholePlace& at,
                                  const WholePlaces& in) {
  constexpr int kPieces = GroupHead<kWholeChannels>::kPieces;
  const int tile = item.key_tiles - 1;
  const int from = item.sentence.keys - tile * kGroupRows;
  if (tile >= 0 && from < kGroupRows) {
    for (int h = 0; h < item.heads; ++h) {
      const int slot = h * item.tiles + tile;
      in.wait(kOfKeys + slot);
      auto* pieces =
          reinterpret_cast<uint4*>(in.bytes + WholeBuffer::kV + slot * WholeBuffer::kTile);
      for (int i = from * kPieces + at.thread; i < kGroupRows * kPieces; i += kGroupThreads) {
        pieces[i] = make_uint4(0, 0, 0, 0);
      }
    }
    hopper::fence_for_copies();
    __syncwarp();
  }
  if (at.lane == 0) {
    hopper::barrier_arrive_here(in.barrier(kOfTail));
  }
}

#endif  // YONA_HOPPER

}  // namespace yona::cuda
