// Attention over sentences of 65 to 256 tokens with Hopper's tensor cores: a block of four
// warpgroups has all of one head of a sentence in shared memory, each row once; of sentences of up
// to 128 tokens it has two heads. Forward a fifth warpgroup sends for the next head meanwhile.
#pragma once

#include "yona/backend/cuda/attention/partial_sums.cuh"
#include "yona/backend/cuda/attention/wgmma_tiled.cuh"

namespace yona::cuda {

constexpr int kLongestHeadPerBlock = 256;
constexpr int kHeadTiles =
    kLongestHeadPerBlock / kWarpgroupRows;  // of 64 rows, and warpgroups of a block
constexpr int kHeadThreads = kHeadTiles * kWarpgroupThreads;

struct HeadPlace {
  int group, thread, warp, lane;  // thread and warp: of the group

  __device__ HeadPlace()
      : group(__shfl_sync(0xFFFFFFFFU, static_cast<int>(threadIdx.x) / kWarpgroupThreads, 0)),
        thread(static_cast<int>(threadIdx.x) % kWarpgroupThreads),
        warp(thread / kLanes),
        lane(thread % kLanes) {}
  __device__ int first() const { return warp * kOwnRows; }
};

// What a block works on: `heads` heads from `head` on, each with `tiles` of the block's four tiles.
// Pairs of a query tile and a key tile are worked on in the order of heads, then of key tiles.
struct HeadItem {
  Sentence sentence;
  std::int64_t number;
  int head, heads, tiles, query_tiles, key_tiles;

  __device__ explicit HeadItem(const AttentionProblem<bf16>& in, unsigned index = blockIdx.x)
      : sentence(in, index / static_cast<unsigned>(in.heads)),
        number(index / static_cast<unsigned>(in.heads)),
        head(static_cast<int>(index % static_cast<unsigned>(in.heads))) {
    const int longest = max(sentence.queries, sentence.keys);
    tiles = longest <= kLongestHeadPerBlock / 2 ? kHeadTiles / 2 : kHeadTiles;
    heads = min(kHeadTiles / tiles, in.heads - head);
    if (longest <= kLongestShort || longest > kLongestHeadPerBlock ||
        (tiles < kHeadTiles && head % 2 != 0)) {
      heads = 0;
    }
    query_tiles = (sentence.queries + kWarpgroupRows - 1) / kWarpgroupRows;
    key_tiles = (sentence.keys + kWarpgroupRows - 1) / kWarpgroupRows;
  }
  // The first query tile that sees something of a key tile.
  __device__ int first_of(int key_tile) const {
    return sentence.first_seeing(key_tile * kWarpgroupRows) / kWarpgroupRows;
  }
  __device__ int pairs() const {
    int count = 0;
    for (int j = 0; j < key_tiles; ++j) {
      count += max(query_tiles - first_of(j), 0);
    }
    return count * heads;
  }
};

// One of the pairs.
struct HeadTilePair {
  int head, query_tile, key_tile;  // head: of the block's

  __device__ explicit HeadTilePair(const HeadItem& item)
      : head(item.key_tiles > 0 ? 0 : item.heads), query_tile(item.first_of(0)), key_tile(0) {
    find(item);
  }
  __device__ void next(const HeadItem& item) {
    ++query_tile;
    find(item);
  }

 private:
  __device__ void find(const HeadItem& item) {
    while (query_tile >= item.query_tiles && head < item.heads) {
      if (++key_tile >= item.key_tiles) {
        key_tile = 0;
        ++head;
      }
      query_tile = item.first_of(key_tile);
    }
  }
};

// Begins to copy rows of one head from `first` on, of which `count` are there, into a tile, where
// the others become zero. kThreadCount threads take part.
template <int D, int kThreadCount>
__device__ void stage_rows(const Rows<bf16>& from, std::int64_t first, int count, int head,
                           int thread, std::uint32_t tile) {
  constexpr int kPieces = WarpgroupHead<D>::kPieces;
  constexpr int kRowsAtOnce = kThreadCount / kPieces;
  static_assert(kRowsAtOnce % 8 == 0);
  const int piece = thread % kPieces;
  int row = thread / kPieces;
  const bf16* source = from.row(first + row) + head * D + piece * 8;
  std::uint32_t to = tile + WarpgroupHead<D>::place(row, piece);
#pragma unroll
  for (int r = 0; r < kWarpgroupRows; r += kRowsAtOnce) {
    if (kRowsAtOnce <= kWarpgroupRows || row < kWarpgroupRows) {
      const int bytes = row < count ? 16 : 0;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                   "l"(row < count ? source : from.data), "r"(bytes)
                   : "memory");
    }
    row += kRowsAtOnce;
    source += kRowsAtOnce * from.stride;
    to += kRowsAtOnce * D * 2;
  }
}

// 16 bytes in one instruction: of such a store forward the compiler has been seen to make four.
__device__ inline void store_words(void* to, const uint4& words) {
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(words.x), "r"(words.y),
               "r"(words.z), "r"(words.w)
               : "memory");
}

// Writes (or adds) the 64 rows of a warpgroup's sums, times factor, `count` of them, by way of a
// tile in shared memory that is the group's own: each warp puts down its own 16 rows.
template <int D, bool kForward = false>
__device__ void put_warpgroup_rows(const Rows<bf16>& to, std::int64_t first, int count, int head,
                                   const float (&sums)[MmaHead<D>::kTiles][4], float factor,
                                   bool accumulate, const HeadPlace& at, unsigned char* tile) {
  constexpr int kPieces = WarpgroupHead<D>::kPieces;
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(tile));
  __syncwarp();  // what was there has been read
#pragma unroll
  for (int t = 0; t < MmaHead<D>::kTiles; t += 2) {
    const std::uint32_t words[4] = {pack_bf16(sums[t][0] * factor, sums[t][1] * factor),
                                    pack_bf16(sums[t][2] * factor, sums[t][3] * factor),
                                    pack_bf16(sums[t + 1][0] * factor, sums[t + 1][1] * factor),
                                    pack_bf16(sums[t + 1][2] * factor, sums[t + 1][3] * factor)};
    put_matrices(words,
                 address + WarpgroupHead<D>::place(at.first() + at.lane % 16, t + at.lane / 16));
  }
  __syncwarp();
  const int piece = at.lane % kPieces;
  int row = at.first() + at.lane / kPieces;
  bf16* target = to.row(first + row) + head * D + piece * 8;
#pragma unroll
  for (int r = 0; r < kOwnRows; r += kLanes / kPieces) {
    if (row < count) {
      const uint4 words =
          *reinterpret_cast<const uint4*>(tile + WarpgroupHead<D>::place(row, piece));
      if (accumulate) {
        float sum[kPack];
        float there[kPack];
        load8(reinterpret_cast<const bf16*>(&words), sum);
        load8(target, there);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
          sum[i] += there[i];
        }
        store8(target, sum);
      } else {
        if constexpr (kForward) {
          store_words(target, words);
        } else {
          *reinterpret_cast<uint4*>(target) = words;
        }
      }
    }
    row += kLanes / kPieces;
    target += kLanes / kPieces * to.stride;
  }
}

// The most tokens of a sentence that the kernel for backward takes, where wgmma_fits();
// kLongestShort where shared memory does not suffice on this GPU.
int longest_head_per_block(const AttentionArgs& args);
// Forward over the sentences of 65 to 256 tokens, where wgmma_fits(). False, with nothing done,
// where the kernel does not apply: it takes heads of 64, and rows and keep masks that TMA can
// address.
bool launch_attention_head_per_block(const AttentionArgs& args, const KeepMask& table,
                                     cudaStream_t stream);
// Backward over the sentences of 65 to 256 tokens: `partials` has a row for each sentence.
void launch_attention_backward_head_per_block(const AttentionBackwardArgs& args,
                                              const KeepMask& keep_mask,
                                              const GradientPartials& partials,
                                              cudaStream_t stream);

}  // namespace yona::cuda
