// Attention backward over long sentences with Hopper's tensor cores; see
// attention/wgmma_tiled_backward.cuh. Blocks of both passes over one sentence and head are near
// each other, so that the second finds its rows in the cache.

#include "yona/backend/cuda/attention/wgmma_tiled_passes.cuh"

namespace yona::cuda {

namespace {

template <int D, Seeing kSeeing>
__global__ void __launch_bounds__(kWarpgroupThreads, kSeeing == Seeing::blocks ? 2 : 3)
    attention_backward_wgmma_tiled_kernel(WarpgroupGradients g) {
#ifdef YONA_ATTENTION_WGMMA
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const WarpgroupBlock block(g.in.heads, g.in.tiles);
  const Sentence sentence(g.in, block.sentence);
  if (max(sentence.queries, sentence.keys) <= g.done_up_to) {
    return;
  }
  const auto tiles = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_bytes));
  if (block.tile < g.query_tiles) {
    if (block.tile * kWarpgroupRows < sentence.queries) {
      query_pass<D, kSeeing>(g, sentence, block.tile * kWarpgroupRows, block.head, tiles);
    }
  } else if ((block.tile - g.query_tiles) * kWarpgroupRows < sentence.keys) {
    auto& statistics =
        *reinterpret_cast<WarpgroupStatistics*>(shared_bytes + WarpgroupShared<D>::kStatistics);
    key_pass<D, kSeeing>(g, sentence, (block.tile - g.query_tiles) * kWarpgroupRows, block.head,
                         tiles, statistics);
  }
#endif
}

template <int D, Seeing kSeeing>
void launch(const WarpgroupGradients& gradients, const AttentionArgs& forward,
            cudaStream_t stream) {
  constexpr std::size_t kShared = WarpgroupShared<D>::kBytes;
  allow_shared(attention_backward_wgmma_tiled_kernel<D, kSeeing>, kShared);
  const auto blocks =
      static_cast<unsigned>(gradients.in.tiles * gradients.in.parts() * forward.heads);
  attention_backward_wgmma_tiled_kernel<D, kSeeing>
      <<<blocks, kWarpgroupThreads, kShared, stream>>>(gradients);
  check_launch("attention_backward");
}

}  // namespace

std::int64_t attention_backward_wgmma_tiled_bytes(const AttentionArgs& args) {
  return query_table_bytes(args) + keep_mask_bytes(args);
}

void launch_attention_backward_wgmma_tiled(const AttentionBackwardArgs& args, int done_up_to,
                                           const KeepMask& keep_mask, const QueryTable& queries,
                                           cudaStream_t stream) {
  const AttentionArgs& forward = args.forward;
  WarpgroupGradients gradients;
  gradients.done_up_to = done_up_to;
  gradients.keep_mask = keep_mask;
  gradients.queries = queries;
  set_gradients(args, gradients);
  gradients.query_tiles = tiles_of_part(forward.longest_q, gradients.in);
  gradients.in.tiles = gradients.query_tiles + tiles_of_part(forward.longest_k, gradients.in);
  with_width_and_seeing(forward, [&](auto width, auto seeing) {
    launch<width.value, seeing.value>(gradients, forward, stream);
  });
}

}  // namespace yona::cuda
