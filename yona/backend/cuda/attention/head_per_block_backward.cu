// Attention backward over sentences of 65 to 256 tokens on Hopper; see
// attention/head_per_block_backward.cuh.

#include "yona/backend/attention_decisions.h"
#include "yona/backend/cuda/attention/head_per_block_backward.cuh"
#include "yona/backend/cuda/attention/keep_mask.h"
#include "yona/backend/cuda/common/dependent_launch.cuh"
#include "yona/backend/cuda/runtime/capability.h"

namespace yona::cuda {

namespace {

// Begins all copies; those of queries and of the first key tile are there at the end.
template <int D>
__device__ void begin_head(const HeadGradients& g, const HeadItem& item, const HeadPlace& at,
                           unsigned char* shared, std::uint32_t tiles) {
  using Shared = HeadShared<D>;
  const Sentence& sentence = item.sentence;
  const int head = item.head + at.group / item.tiles;
  const int first = at.group % item.tiles * kWarpgroupRows;
  const bool there = head < item.head + item.heads;
  const std::uint32_t own = tiles + at.group * Shared::kTile;
  const int queries = there ? min(max(sentence.queries - first, 0), kWarpgroupRows) : 0;
  const int keys = there ? min(max(sentence.keys - first, 0), kWarpgroupRows) : 0;
  if (queries > 0) {
    stage_rows<D, kWarpgroupThreads>(g.in.q, sentence.first_query + first, queries, head, at.thread,
                                     own + Shared::kQ);
    stage_rows<D, kWarpgroupThreads>(g.dout, sentence.first_query + first, queries, head, at.thread,
                                     own + Shared::kDout);
  }
  const int thread = static_cast<int>(threadIdx.x);
  stage_rows<D, kHeadThreads>(g.in.k, sentence.first_key, sentence.keys, item.head, thread,
                              tiles + Shared::kK);
  stage_rows<D, kHeadThreads>(g.in.v, sentence.first_key, sentence.keys, item.head, thread,
                              tiles + Shared::kV);
  commit_copies();
  if (keys > 0 && at.group > 0) {
    stage_rows<D, kWarpgroupThreads>(g.in.k, sentence.first_key + first, keys, head, at.thread,
                                     own + Shared::kK);
    stage_rows<D, kWarpgroupThreads>(g.in.v, sentence.first_key + first, keys, head, at.thread,
                                     own + Shared::kV);
  }
  commit_copies();
  auto* known = reinterpret_cast<HeadQueries*>(shared + Shared::kQueries);
  if (queries > 0) {
    find_queries<D>(g, sentence.first_query + first, queries, sentence.keys, head, at.thread,
                    shared + Shared::kDout + at.group * Shared::kTile, known[at.group]);
  } else {
    wait_for_copy_groups<1>();
  }
  show_to_tensor_cores();
  __syncthreads();
}

// Forms the weights and ds of every other pair. (To start the products of the next before those of
// one are put down was slower.)
template <int D>
__device__ void form_pairs(const HeadGradients& g, const HeadItem& item, const HeadPlace& at,
                           const HeadQueries* known, std::uint32_t tiles) {
  using Shared = HeadShared<D>;
  const Sentence& sentence = item.sentence;
  const float scale = g.in.scale * kLog2E;
  const int row = at.first() + at.lane / 4;
  const int own_row = (at.first() + at.lane % 16) * kWarpgroupRows * 2;
  bool rest_is_there = false;
  const auto wait_for_rest = [&] {
    wait_for_copies();
    show_to_tensor_cores();
    meet_threads(kRestIsThere, kHeadThreads);
    rest_is_there = true;
  };
  HeadTilePair pair(item);
  if (at.group != 0) {
    pair.next(item);
  }
  WarpgroupScores scores;
  WarpgroupScores dp;
  const auto start = [&] {
    const int key_tile = pair.head * item.tiles + pair.key_tile;
    if (!rest_is_there && key_tile > 0) {
      wait_for_rest();
    }
    const std::uint32_t queries =
        tiles + (pair.head * item.tiles + pair.query_tile) * Shared::kTile;
    const std::uint32_t keys = tiles + key_tile * Shared::kTile;
    begin_products();
    start_scores<D>(queries + Shared::kQ, keys + Shared::kK, scores);
    commit_products();
    start_scores<D>(queries + Shared::kDout, keys + Shared::kV, dp);
    commit_products();
  };
  for (int step = at.group; pair.head < item.heads; step += 2) {
    start();
    const HeadQueries& queries = known[pair.head * item.tiles + pair.query_tile];
    const int i0 = pair.query_tile * kWarpgroupRows;
    const int j0 = pair.key_tile * kWarpgroupRows;
    WarpgroupScores p;
    wait_for_products<1>();
    if (j0 + kWarpgroupRows <= sentence.visible(i0)) {
      weigh_scores<false>(sentence, queries, row, i0 + row, scale, j0, at.lane, scores, p);
    } else {
      weigh_scores<true>(sentence, queries, row, i0 + row, scale, j0, at.lane, scores, p);
    }
    wait_for_products();
    WarpgroupWeights weights;
    WarpgroupWeights ds;
    find_ds(queries, row, j0, at.lane, p, dp, weights, ds);
    const int place = step % kHeadPlaces;
    if (step >= kHeadPlaces) {
      meet_threads(kPlaceIsFree + place, kPairThreads);
    }
    put_weights(weights, tiles + Shared::kWeights + place * Shared::kWeightTile + own_row, at.lane);
    put_weights(ds, tiles + Shared::kDs + place * Shared::kWeightTile + own_row, at.lane);
    show_to_tensor_cores();
    arrive_for(kPairIsThere + place, kPairThreads);
    pair.next(item);
    pair.next(item);
  }
  if (!rest_is_there) {
    wait_for_rest();
  }
}

// Adds up dv (kind 0) or dk (kind 1), and dq of every other query tile.
template <int D>
__device__ void add_pairs(const HeadGradients& g, const HeadItem& item, const HeadPlace& at,
                          unsigned char* shared, std::uint32_t tiles) {
  using Shared = HeadShared<D>;
  const Sentence& sentence = item.sentence;
  const int kind = at.group - 2;
  const std::uint32_t weights = tiles + (kind == 0 ? Shared::kWeights : Shared::kDs);
  const std::uint32_t rows = tiles + (kind == 0 ? Shared::kDout : Shared::kQ);
  unsigned char* own = shared + Shared::kOut + kind * Shared::kTile;
  auto* columns = reinterpret_cast<float*>(shared + Shared::kColumns);  // [heads][dv, dq, dq][4][D]
  const int pairs = item.pairs();
  int step = 0;
  for (int h = 0; h < item.heads; ++h) {
    const int tile = h * item.tiles;
    float* mine = columns + (h * 12 + at.warp) * D;
    float dq[kHeadTiles / 2][MmaHead<D>::kTiles][4] = {};
    for (int j = 0; j < item.key_tiles; ++j) {
      const int first = item.first_of(j);
      float sums[MmaHead<D>::kTiles][4] = {};
#pragma unroll
      for (int m = 0; m < kHeadTiles / 2; ++m) {
        for (int i = 2 * m; i < 2 * m + 2; ++i) {
          if (i < first || i >= item.query_tiles) {
            continue;
          }
          const int place = step % kHeadPlaces;
          meet_threads(kPairIsThere + place, kPairThreads);
          begin_products();
          start_crossed_sums<D>(weights + place * Shared::kWeightTile,
                                rows + (tile + i) * Shared::kTile, sums);
          if (i % 2 == kind) {
            begin_products();
            start_sums<D>(tiles + Shared::kDs + place * Shared::kWeightTile,
                          tiles + Shared::kK + (tile + j) * Shared::kTile, dq[m]);
          }
          commit_products();
          wait_for_products();
          if (step + kHeadPlaces < pairs) {
            arrive_for(kPlaceIsFree + place, kPairThreads);
          }
          ++step;
        }
      }
      put_warpgroup_rows<D>(kind == 0 ? g.dv : g.dk, sentence.first_key + j * kWarpgroupRows,
                            sentence.keys - j * kWarpgroupRows, item.head + h, sums,
                            kind == 0 ? 1.0F : g.in.scale,
                            kind == 0 ? g.accumulate_dv : g.accumulate_dk, at, own);
      if (kind == 0 && g.partials.dv != nullptr) {
        add_columns<D>(sums, 1.0F, j > 0, at.lane, mine);
      }
    }
#pragma unroll
    for (int m = 0; m < kHeadTiles / 2; ++m) {
      const int first = (2 * m + kind) * kWarpgroupRows;
      if (first < sentence.queries || m == 0) {
        put_warpgroup_rows<D>(g.dq, sentence.first_query + first, sentence.queries - first,
                              item.head + h, dq[m], g.in.scale, g.accumulate_dq, at, own);
        if (g.partials.dq != nullptr) {
          add_columns<D>(dq[m], g.in.scale, m > 0, at.lane, mine + 4 * (1 + kind) * D);
        }
      }
    }
  }
}

// Adds the columns of the warps' rows.
template <int D>
__device__ void leave_columns(const HeadGradients& g, const HeadItem& item, const float* columns) {
  const int head = static_cast<int>(threadIdx.x) / (2 * D);
  const int column = static_cast<int>(threadIdx.x) % D;
  const bool is_dq = static_cast<int>(threadIdx.x) / D % 2 != 0;
  float* sums = is_dq ? g.partials.dq : g.partials.dv;
  if (sums == nullptr || head >= item.heads) {
    return;
  }
  const float* parts = columns + (head * 12 + (is_dq ? 4 : 0)) * D + column;
  const bool some = is_dq || item.key_tiles > 0;
  float total = 0.0F;
  for (int i = 0; some && i < (is_dq ? 8 : 4); ++i) {
    total += parts[i * D];
  }
  sums[(item.number * g.in.heads + item.head + head) * D + column] = total;
}

template <int D>
__global__ void __launch_bounds__(kHeadThreads, 1)
    attention_backward_head_per_block_kernel(HeadGradients g) {
  wait_for_previous_grid();
#ifdef YONA_ATTENTION_WGMMA
  using Shared = HeadShared<D>;
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const auto tiles = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_bytes));
  const HeadItem item(g.in);
  if (item.heads == 0) {
    return;
  }
  const HeadPlace at;
  begin_head<D>(g, item, at, shared_bytes, tiles);
  if (at.group < 2) {
    form_pairs<D>(g, item, at,
                  reinterpret_cast<const HeadQueries*>(shared_bytes + Shared::kQueries), tiles);
  } else {
    wait_for_copies();
    show_to_tensor_cores();
    arrive_for(kRestIsThere, kHeadThreads);
    add_pairs<D>(g, item, at, shared_bytes, tiles);
  }
  if (g.partials.dq != nullptr || g.partials.dv != nullptr) {
    __syncthreads();
    leave_columns<D>(g, item, reinterpret_cast<const float*>(shared_bytes + Shared::kColumns));
  }
#endif
}

template <int D>
void launch(const HeadGradients& gradients, const AttentionArgs& forward, cudaStream_t stream) {
  constexpr std::size_t kShared = HeadShared<D>::kBytes;
  allow_shared(attention_backward_head_per_block_kernel<D>, kShared);
  const auto blocks = static_cast<unsigned>(forward.sentences * forward.heads);
  launch_dependent(attention_backward_head_per_block_kernel<D>,
                   {blocks, kHeadThreads, int{kShared}}, stream, "attention_backward", gradients);
}

}  // namespace

std::int64_t wanted_keep_mask_bytes(const AttentionArgs& args) {
  const std::int64_t bytes = attention_keep_mask_bytes(args);
  return bytes > 0 && mma_fits(args) && wgmma_fits(args) &&
                 longest_head_per_block(args) == kLongestHeadPerBlock
             ? bytes
             : 0;
}

int longest_head_per_block(const AttentionArgs& args) {
  const int bytes = args.d_k == 32 ? HeadShared<32>::kBytes : HeadShared<64>::kBytes;
  return shared_memory_limit() >= bytes ? kLongestHeadPerBlock : kLongestShort;
}

void launch_attention_backward_head_per_block(const AttentionBackwardArgs& args,
                                              const KeepMask& keep_mask,
                                              const GradientPartials& partials,
                                              cudaStream_t stream) {
  const AttentionArgs& forward = args.forward;
  HeadGradients gradients;
  set_gradients(args, gradients);
  gradients.keep_mask = keep_mask;
  gradients.partials = partials;
  if (forward.d_k == 32) {
    launch<32>(gradients, forward, stream);
  } else {
    launch<64>(gradients, forward, stream);
  }
}

}  // namespace yona::cuda
