// Attention forward over long sentences with tensor cores; see attention/mma_tiled.cuh.

#include "yona/backend/cuda/attention/mma_tiled.cuh"

namespace yona::cuda {

namespace {

template <int D>
__global__ void __launch_bounds__(kLongThreads, 2)
    attention_mma_tiled_kernel(AttentionProblem<bf16> p, KeepMask table) {
  using Head = MmaHead<D>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const LongPlace at;
  const Sentence sentence(p, blockIdx.x / p.tiles);
  const int block_first = static_cast<int>(blockIdx.x % p.tiles) * kLongRows;
  if (!is_long(sentence) || block_first >= sentence.queries) {
    return;
  }
  auto* tiles = reinterpret_cast<bf16*>(shared_bytes);
  bf16* own = tiles + at.warp * kOwnRows * Head::kStride;
  bf16* others = tiles + kLongWarps * kOwnRows * Head::kStride + at.slot * 4 * Head::kTile;
  const int first = block_first + at.part * kOwnRows;
  const bool there = at.head < p.heads;
  const int count = there ? min(max(sentence.queries - first, 0), kOwnRows) : 0;
  const int end = sentence.visible(min(block_first + kLongRows, sentence.queries) - 1);
  const auto stage = [&](int j0) {
    bf16* tile = others + j0 / kOtherRows % 2 * 2 * Head::kTile;
    const int keys = there ? end - j0 : 0;
    stage_part<D>(p.k, sentence.first_key + j0, keys, at, tile);
    stage_part<D>(p.v, sentence.first_key + j0, keys, at, tile + Head::kTile);
  };
  stage_async<D>(p.q, sentence.first_query + first, count, at.head, own);
  stage(0);
  const int row = at.lane / 4;
  const int visible[2] = {row < count ? sentence.visible(first + row) : 0,
                          row + 8 < count ? sentence.visible(first + row + 8) : 0};
  const std::int64_t query = sentence.first_query + min(first + row, sentence.queries - 1);
  const std::int64_t query8 = sentence.first_query + min(first + row + 8, sentence.queries - 1);
  std::uint32_t next[2] = {table.word(query, at.head, 0), table.word(query8, at.head, 0)};
  RunningRows running;
  float out[Head::kTiles][4] = {};
  for (int j0 = 0; j0 < end; j0 += kOtherRows) {
    wait_for_copies();
    __syncthreads();  // this tile has arrived, and the one before is free
    const std::uint32_t kept[2] = {next[0], next[1]};
    if (j0 + kOtherRows < end) {
      stage(j0 + kOtherRows);
      next[0] = table.word(query, at.head, j0 + kOtherRows);
      next[1] = table.word(query8, at.head, j0 + kOtherRows);
    }
    const bf16* tile = others + j0 / kOtherRows % 2 * 2 * Head::kTile;
    OwnRows<D> q;
    float scores[kScoreTiles][4];
    float correction[2];
    load_own<D>(own, q);
    score_tile<D>(q, tile, scores);
    soften(p, kept, visible, j0, running, scores, correction);
    correct<D>(correction, out);
    add_tile<D>(scores, tile + Head::kTile, out);
  }
  put_attended<D>(p.out, p.lse, sentence.first_query + first, count, at.head, running, out);
}

template <int D>
void launch(const AttentionArgs& args, const KeepMask& table, cudaStream_t stream) {
  AttentionProblem<bf16> problem = problem_of<bf16>(args);
  problem.tiles = static_cast<int>(blocks_for(args.longest_q, kLongRows));
  const dim3 grid(static_cast<unsigned>(problem.tiles * args.sentences),
                  blocks_for(args.heads, kLongHeads));
  constexpr std::size_t kShared =
      sizeof(bf16) * (kLongWarps * kOwnRows * MmaHead<D>::kStride +
                      kLongHeads * 4 * static_cast<std::size_t>(MmaHead<D>::kTile));
  allow_shared(attention_mma_tiled_kernel<D>, kShared);
  attention_mma_tiled_kernel<D><<<grid, kLongThreads, kShared, stream>>>(problem, table);
  check_launch("attention");
}

}  // namespace

void launch_attention_mma_tiled(const AttentionArgs& args, const KeepMask& keep_mask,
                                cudaStream_t stream) {
  if (args.d_k == 32) {
    launch<32>(args, keep_mask, stream);
  } else {
    launch<64>(args, keep_mask, stream);
  }
}

}  // namespace yona::cuda
