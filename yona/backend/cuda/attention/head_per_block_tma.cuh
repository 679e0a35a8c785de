// Attention forward over sentences of 65 to 256 tokens: what a block has of one item (HeadItem) in
// shared memory, and how one thread issues the TMA copies; see
// attention/head_per_block_forward.cuh.
#pragma once

#include "yona/backend/cuda/attention/head_per_block.cuh"
#include "yona/backend/cuda/common/cluster.cuh"
#include "yona/backend/cuda/runtime/tensor_map.h"

namespace yona::cuda {

constexpr int kHeadChannels = 64;  // of a head

struct HeadMaps {
  CUtensorMap q, k, v;
};

// What one item has in shared memory, in slots: tile t of head h has slot h * tiles + t.
struct HeadBuffer {
  static constexpr int kTile = WarpgroupHead<kHeadChannels>::kTileBytes;
  static constexpr int kQ = 0;  // and, when a tile of queries is done, its results
  static constexpr int kK = kQ + kHeadTiles * kTile;
  static constexpr int kV = kK + kHeadTiles * kTile;
  static constexpr int kKept = kV + kHeadTiles * kTile;
  // Rows of words, one for each 32 keys: those of all queries, from where 16 bytes begin in memory.
  static constexpr int kWords = kLongestHeadPerBlock / kWordKeys;
  static constexpr int kRow = (kLongestHeadPerBlock + 8) * 4;
  static constexpr int kBytes = (kKept + kWords * kRow + 1023) / 1024 * 1024;

  __device__ static int row_of(int head, int word) {
    return kKept + (head * (kWords / 2) + word) * kRow;
  }
};
static_assert(HeadBuffer::kKept % 16 == 0 && HeadBuffer::kRow % 16 == 0);

// Barriers of a buffer, in shared memory: the queries of a slot are there; its keys, values and
// keep mask is; the last values have no rows of others any more; and all is read.
enum HeadBarriers {
  kOfQueries = 0,
  kOfKeys = kOfQueries + kHeadTiles,
  kOfTail = kOfKeys + kHeadTiles,
  kOfEmpty,
  kHeadBarriers
};

constexpr int kHeadBuffers = 2;

// Behind the buffers.
struct HeadTail {
  std::uint64_t barriers[kHeadBuffers][kHeadBarriers];
  alignas(16) unsigned char items[kHeadBuffers][sizeof(HeadItem)];
};

// A block (cluster_launch.h).
struct HeadRing {
  static constexpr int kCluster = 1;
  static constexpr int kConsumers = kHeadTiles * kWarpgroupThreads;
  static constexpr int kThreads = kConsumers + kWarpgroupThreads;
  static constexpr int kTailAt = kHeadBuffers * HeadBuffer::kBytes;
  static constexpr int kSharedBytes = kTailAt + static_cast<int>(sizeof(HeadTail));
};

#ifdef YONA_HOPPER

// A buffer and its barriers, in the phase of `parity`.
struct HeadPlaces {
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
__device__ inline int words_before(const KeepMask& table, int head, int word, std::int64_t query) {
  const auto row = static_cast<unsigned>(head * static_cast<int>(table.words_of_query) + word);
  return static_cast<int>(
      (row * static_cast<unsigned>(table.queries) + static_cast<unsigned>(query)) & 3U);
}
__device__ inline int bytes_of_words(int before, int queries) {
  return (before + queries + 3) / 4 * 16;
}

// Begins the copies of a slot's queries.
__device__ inline void send_for_queries(const HeadMaps& maps, const HeadItem& item, int slot,
                                        const HeadPlaces& to) {
  const int head = slot / item.tiles;
  const int tile = slot % item.tiles;
  const std::uint32_t barrier = to.barrier(kOfQueries + slot);
  if (head >= item.heads || tile >= item.query_tiles) {
    hopper::barrier_expect(barrier, 0);
    return;
  }
  hopper::barrier_expect(barrier, HeadBuffer::kTile);
  hopper::copy_in(to.buffer + HeadBuffer::kQ + slot * HeadBuffer::kTile, maps.q,
                  (item.head + head) * kHeadChannels,
                  static_cast<int>(item.sentence.first_query) + tile * kWarpgroupRows, barrier);
}

// Begins the copies of a slot's keys, values and keep mask.
template <bool kDropout>
__device__ void send_for_keys(const KeepMask& table, const HeadMaps& maps, const HeadItem& item,
                              int slot, const HeadPlaces& to) {
  const Sentence& sentence = item.sentence;
  const int own = slot / item.tiles;
  const int tile = slot % item.tiles;
  const int head = item.head + own;
  const std::uint32_t barrier = to.barrier(kOfKeys + slot);
  if (own >= item.heads || tile >= item.key_tiles) {
    hopper::barrier_expect(barrier, 0);
    return;
  }
  int bytes = 2 * HeadBuffer::kTile;
  int words = 0;
  if (kDropout) {
    words = min(2, (sentence.keys - tile * kWarpgroupRows + kWordKeys - 1) / kWordKeys);
    for (int w = 0; w < words; ++w) {
      bytes += bytes_of_words(words_before(table, head, 2 * tile + w, sentence.first_query),
                              sentence.queries);
    }
  }
  hopper::barrier_expect(barrier, bytes);
  const int row = static_cast<int>(sentence.first_key) + tile * kWarpgroupRows;
  const std::uint32_t place = to.buffer + slot * HeadBuffer::kTile;
  hopper::copy_in(place + HeadBuffer::kK, maps.k, head * kHeadChannels, row, barrier);
  for (int w = 0; w < words; ++w) {
    const int word = 2 * tile + w;
    const int before = words_before(table, head, word, sentence.first_query);
    copy_bytes_in(to.buffer + HeadBuffer::row_of(own, word),
                  table.of(head, word * kWordKeys) + sentence.first_query - before,
                  bytes_of_words(before, sentence.queries), barrier);
  }
  hopper::copy_in(place + HeadBuffer::kV, maps.v, head * kHeadChannels, row, barrier);
}

// Zeroes the rows of the last tile of values of every head that are not the sentence's: their
// weights are zero, which may not be enough. A whole warpgroup takes part, and arrives.
__device__ inline void clear_tail(const HeadItem& item, const HeadPlace& at, const HeadPlaces& in) {
  constexpr int kPieces = WarpgroupHead<kHeadChannels>::kPieces;
  const int tile = item.key_tiles - 1;
  const int from = item.sentence.keys - tile * kWarpgroupRows;
  if (tile >= 0 && from < kWarpgroupRows) {
    for (int h = 0; h < item.heads; ++h) {
      const int slot = h * item.tiles + tile;
      in.wait(kOfKeys + slot);
      auto* pieces = reinterpret_cast<uint4*>(in.bytes + HeadBuffer::kV + slot * HeadBuffer::kTile);
      for (int i = from * kPieces + at.thread; i < kWarpgroupRows * kPieces;
           i += kWarpgroupThreads) {
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
