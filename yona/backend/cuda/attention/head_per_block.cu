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
struct WholeStage : WholePlaces {
  WholeItem* item;

  __device__ WholeStage(unsigned char* shared, int number) {
    const int which = number % kWholeBuffers;
    auto* tail = reinterpret_cast<WholeTail*>(shared + WholeRing::kTailAt);
    bytes = shared + which * WholeBuffer::kBytes;
    buffer = hopper::shared_address(bytes);
    barriers = hopper::shared_address(tail->barriers[which]);
    parity = static_cast<std::uint32_t>(number / kWholeBuffers & 1);
    item = reinterpret_cast<WholeItem*>(tail->items[which]);
  }
  // Until the warpgroups have read what was there before.
  __device__ void wait_until_empty() const { hopper::barrier_wait(barrier(kOfEmpty), parity ^ 1U); }
};

// A sentence has an item for each head. Of those of up to 128 tokens half have two heads and the
// others none: from one sentence to the next they are turned, so that every block has some of all
// kinds.
__device__ inline WholeItem item_of(const AttentionProblem<bf16>& p, unsigned index) {
  const auto heads = static_cast<unsigned>(p.heads);
  const unsigned sentence = index / heads;
  const unsigned turned = (index + sentence) % heads;
  WholeItem item(p, sentence * heads + turned);
  const int longest = max(item.sentence.queries, item.sentence.keys);
  if (longest > kLongestShort && longest <= kLongestWhole / 2) {
    item.head = 2 * static_cast<int>(turned);
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
__device__ void send_for_items(const AttentionProblem<bf16>& p, const DecisionTable& table,
                               const WholeMaps& maps, unsigned items, unsigned char* shared) {
  int number = 0;
  for (unsigned index = blockIdx.x; index < items; index += gridDim.x) {
    const WholeItem item = item_of(p, index);
    if (item.heads == 0) {
      continue;
    }
    const WholeStage stage(shared, number++);
    stage.wait_until_empty();
    *stage.item = item;
    hopper::fence_for_copies();
#pragma unroll 1
    for (int slot = 0; slot < kWholeTiles; ++slot) {
      send_for_queries(maps, item, slot, stage);
      send_for_keys<kDropout>(table, maps, item, slot, stage);
    }
  }
  const WholeStage end(shared, number);
  end.wait_until_empty();
  end.item->heads = 0;
  hopper::barrier_expect(end.barrier(kOfQueries), 0);
}

template <bool kDropout>
__device__ void attend_items(const AttentionProblem<bf16>& p, const DecisionTable& table,
                             unsigned char* shared) {
  const WholePlace at;
  for (int number = 0;; ++number) {
    const WholeStage stage(shared, number);
    stage.wait(kOfQueries);
    const WholeItem item = *stage.item;
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
__global__ void __launch_bounds__(WholeRing::kThreads, 1)
    attention_whole_kernel(AttentionProblem<bf16> p, DecisionTable table,
                           const __grid_constant__ WholeMaps maps, unsigned items) {
#ifdef YONA_HOPPER
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    for (int b = 0; b < kWholeBuffers; ++b) {
      const WholeStage stage(shared_bytes, b);
      for (int i = 0; i < kWholeBarriers; ++i) {
        const int warps = kGroupThreads / kLanes;
        hopper::barrier_init(stage.barrier(i), i == kOfTail    ? warps
                                               : i == kOfEmpty ? kWholeTiles * warps
                                                               : 1);
      }
    }
    hopper::fence_barrier_init();
  }
  wait_for_the_one_in_front();
  __syncthreads();
  if (thread >= WholeRing::kConsumers) {
    hopper::give_registers<32>();
    if (thread == WholeRing::kConsumers) {
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
bool launch(const AttentionArgs& args, const DecisionTable& table, cudaStream_t stream) {
  static const int at_once =
      clusters_at_once<WholeRing>(attention_whole_kernel<kDropout>, "attention");
  WholeMaps maps;
  if (at_once == 0 || !describe_tiles(tiles_of(args.q, kGroupRows, kWholeChannels), maps.q) ||
      !describe_tiles(tiles_of(args.k, kGroupRows, kWholeChannels), maps.k) ||
      !describe_tiles(tiles_of(args.v, kGroupRows, kWholeChannels), maps.v)) {
    return false;
  }
  const auto items = static_cast<unsigned>(args.sentences * args.heads);
  const unsigned blocks = std::min(items, static_cast<unsigned>(at_once));
  launch_early(attention_whole_kernel<kDropout>,
               {blocks, WholeRing::kThreads, WholeRing::kSharedBytes}, stream, "attention",
               problem_of<bf16>(args), table, maps, items);
  return true;
}

#endif

}  // namespace

bool launch_attention_whole(const AttentionArgs& args, const DecisionTable& table,
                            cudaStream_t stream) {
#ifdef YONA_CUDA_90A
  if (args.d_k != kWholeChannels || shared_room() < WholeRing::kSharedBytes ||
      reinterpret_cast<std::uintptr_t>(table.words) % 16 != 0) {
    return false;
  }
  return table.words == nullptr ? launch<false>(args, table, stream)
                                : launch<true>(args, table, stream);
#else  // nobody asks for the kernel
  static_cast<void>(args);
  static_cast<void>(table);
  static_cast<void>(stream);
  return false;
#endif
}

}  // namespace yona::cuda
