// Attention forward over sentences of 65 to 256 tokens on Hopper; see
// attention/head_per_block_forward.cuh. A multiprocessor has one block, which goes from one head of
// a sentence to the next: while four warpgroups work on what is in one of two buffers, a thread of
// the fifth sends for what comes into the other.

#include <algorithm>
#include <cstdint>

#include "yona/backend/cuda/attention/head_per_block_forward.cuh"
#include "yona/backend/cuda/runtime/cluster_launch.h"

namespace yona::cuda {

namespace {

#ifdef YONA_HOPPER

// What is where for the block's item `number`, and the item itself.
struct HeadStage : HeadPlaces {
  HeadItem* item;

  __device__ HeadStage(unsigned char* shared, int number) {
    const int which = number % kHeadBuffers;
    auto* tail = reinterpret_cast<HeadTail*>(shared + HeadRing::kTailAt);
    bytes = shared + which * HeadBuffer::kBytes;
    buffer = hopper::shared_address(bytes);
    barriers = hopper::shared_address(tail->barriers[which]);
    parity = static_cast<std::uint32_t>(number / kHeadBuffers & 1);
    item = reinterpret_cast<HeadItem*>(tail->items[which]);
  }
  // Until the warpgroups have read what was there before.
  __device__ void wait_until_empty() const { hopper::barrier_wait(barrier(kOfEmpty), parity ^ 1U); }
};

// A sentence has an item for each head. Of those of up to 128 tokens half have two heads and the
// others none: from one sentence to the next they are rotated, so that every block has some of all
// kinds.
__device__ inline HeadItem item_of(const AttentionProblem<bf16>& p, unsigned index) {
  const auto heads = static_cast<unsigned>(p.heads);
  const unsigned sentence = index / heads;
  const unsigned rotated = (index + sentence) % heads;
  HeadItem item(p, sentence * heads + rotated);
  const int longest = max(item.sentence.queries, item.sentence.keys);
  if (longest > kLongestShort && longest <= kLongestHeadPerBlock / 2) {
    item.head = 2 * static_cast<int>(rotated);
    item.heads = max(0, min(2, p.heads - item.head));
  }
  if (item.sentence.queries == 0) {
    item.heads = 0;
  }
  return item;
}

// Sends for all of the block's items; after the last comes one without heads. All copies of an item
// are waited for before its buffer is empty: the last query sees the last key.
template <bool kDropout>
__device__ void send_for_items(const AttentionProblem<bf16>& p, const KeepMask& table,
                               const HeadMaps& maps, unsigned items, unsigned char* shared) {
  int number = 0;
  for (unsigned index = blockIdx.x; index < items; index += gridDim.x) {
    const HeadItem item = item_of(p, index);
    if (item.heads == 0) {
      continue;
    }
    const HeadStage stage(shared, number++);
    stage.wait_until_empty();
    *stage.item = item;
    hopper::fence_for_copies();
#pragma unroll 1
    for (int slot = 0; slot < kHeadTiles; ++slot) {
      send_for_queries(maps, item, slot, stage);
      send_for_keys<kDropout>(table, maps, item, slot, stage);
    }
  }
  const HeadStage end(shared, number);
  end.wait_until_empty();
  end.item->heads = 0;
  hopper::barrier_expect(end.barrier(kOfQueries), 0);
}

template <bool kDropout>
__device__ void attend_items(const AttentionProblem<bf16>& p, const KeepMask& table,
                             unsigned char* shared) {
  const HeadPlace at;
  for (int number = 0;; ++number) {
    const HeadStage stage(shared, number);
    stage.wait(kOfQueries);
    const HeadItem item = *stage.item;
    if (item.heads == 0) {
      break;
    }
    // Where there is a mask, slots have more or less to do: 0, 3, 1, 2 in turns.
    const int slot = at.group ^ (0x2130 >> number % 4 * 4 & 3);
    if (slot == 0) {
      clear_tail(item, at, stage);
    }
    if (slot / item.tiles < item.heads && slot % item.tiles < item.query_tiles) {
      attend_slot<kDropout>(p, table, item, slot, at, stage);
    }
    __syncwarp();
    if (at.lane == 0) {
      hopper::barrier_arrive_here(stage.barrier(kOfEmpty));
    }
  }
}

#endif  // YONA_HOPPER

template <bool kDropout>
__global__ void __launch_bounds__(HeadRing::kThreads, 1)
    attention_head_per_block_kernel(AttentionProblem<bf16> p, KeepMask table,
                                    const __grid_constant__ HeadMaps maps, unsigned items) {
#ifdef YONA_HOPPER
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int b = 0; b < kHeadBuffers; ++b) {
      const HeadStage stage(shared_bytes, b);
      for (int i = 0; i < kHeadBarriers; ++i) {
        const int warps = kWarpgroupThreads / kLanes;
        hopper::barrier_init(stage.barrier(i), i == kOfTail    ? warps
                                               : i == kOfEmpty ? kHeadTiles * warps
                                                               : 1);
      }
    }
    hopper::fence_barrier_init();
  }
  wait_for_previous_grid();
  __syncthreads();
  if (thread >= HeadRing::kConsumers) {
    hopper::give_registers<32>();
    if (thread == HeadRing::kConsumers) {
      send_for_items<kDropout>(p, table, maps, items, shared_bytes);
    }
  } else {
    hopper::take_registers<112>();
    attend_items<kDropout>(p, table, shared_bytes);
  }
#endif
}

#ifdef YONA_CUDA_90A

template <bool kDropout>
bool launch(const AttentionArgs& args, const KeepMask& table, cudaStream_t stream) {
  static const int at_once =
      clusters_at_once<HeadRing>(attention_head_per_block_kernel<kDropout>, "attention");
  HeadMaps maps;
  if (at_once == 0 || !describe_tiles(tiles_of(args.q, kWarpgroupRows, kHeadChannels), maps.q) ||
      !describe_tiles(tiles_of(args.k, kWarpgroupRows, kHeadChannels), maps.k) ||
      !describe_tiles(tiles_of(args.v, kWarpgroupRows, kHeadChannels), maps.v)) {
    return false;
  }
  const auto items = static_cast<unsigned>(args.sentences * args.heads);
  const unsigned blocks = std::min(items, static_cast<unsigned>(at_once));
  launch_dependent(attention_head_per_block_kernel<kDropout>,
                   {blocks, HeadRing::kThreads, HeadRing::kSharedBytes}, stream, "attention",
                   problem_of<bf16>(args), table, maps, items);
  return true;
}

#endif

}  // namespace

bool launch_attention_head_per_block(const AttentionArgs& args, const KeepMask& table,
                                     cudaStream_t stream) {
#ifdef YONA_CUDA_90A
  if (args.d_k != kHeadChannels || shared_memory_limit() < HeadRing::kSharedBytes ||
      reinterpret_cast<std::uintptr_t>(table.words) % 16 != 0) {
    return false;
  }
  return table.words == nullptr ? launch<false>(args, table, stream)
                                : launch<true>(args, table, stream);
#else  // the kernel is not launched
  static_cast<void>(args);
  static_cast<void>(table);
  static_cast<void>(stream);
  return false;
#endif
}

}  // namespace yona::cuda
