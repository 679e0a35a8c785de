// Attention forward over short sentences with tensor cores; see attention_short.cuh.

#include "yona/backend/cuda/attention_short.cuh"

namespace yona::cuda {

namespace {

template <int D, int R>
__global__ void __launch_bounds__(kShortThreads, kShortBlocks<R>)
    attention_short_kernel(AttentionProblem<bf16> p, int least) {
  using Head = MmaHead<D>;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const ShortPlace<R> at;
  auto& decisions = *reinterpret_cast<ShortDecisions<R>*>(shared_bytes);
  auto* tiles = reinterpret_cast<bf16*>(shared_bytes + sizeof(ShortDecisions<R>));
  bf16* keys = tiles + at.slot * 2 * R * Head::kStride;  // [R, D]
  bf16* values = keys + R * Head::kStride;
  bf16* own = tiles + (2 * kShortWarps + at.warp) * kOwnRows * Head::kStride;
  const Sentence sentence(p, blockIdx.x);
  if (!takes<R>(sentence, least)) {
    return;
  }
  const int first = at.first;
  const bool there = at.head < p.heads;
  const int count = there ? min(max(sentence.queries - first, 0), kOwnRows) : 0;
  const int key_count = there ? min(max(sentence.keys - first, 0), kOwnRows) : 0;
  stage_async<D>(p.k, sentence.first_key + first, key_count, at.head, keys + first * Head::kStride);
  stage_async<D>(p.v, sentence.first_key + first, key_count, at.head,
                 values + first * Head::kStride);
  stage_async<D>(p.q, sentence.first_query + first, count, at.head, own);
  if (p.dropout.threshold != 0) {
    decisions.decide(p, sentence, at);
  }
  wait_for_copies();
  __syncthreads();
  if (count == 0) {
    return;
  }
  const int row = at.lane / 4;
  const int visible[2] = {row < count ? sentence.visible(first + row) : 0,
                          row + 8 < count ? sentence.visible(first + row + 8) : 0};
  RunningRows running;
  float out[Head::kTiles][4] = {};
  const int end = sentence.visible(first + count - 1);
#pragma unroll
  for (int j0 = 0; j0 < R; j0 += kOtherRows) {
    if (j0 >= end) {
      break;
    }
    OwnRows<D> q;
    float scores[kScoreTiles][4];
    float correction[2];
    const std::uint32_t* words = decisions.of(at.slot, j0) + first + row;
    const std::uint32_t kept[2] = {words[0], words[8]};
    load_own<D>(own, q);
    score_tile<D>(q, keys + j0 * Head::kStride, scores);
    soften(p, kept, visible, j0, running, scores, correction);
    correct<D>(correction, out);
    add_tile<D>(scores, values + j0 * Head::kStride, out);
  }
  put_attended<D>(p, sentence.first_query + first, count, at.head, running, out);
}

template <int D, int R>
void launch(const AttentionArgs& args, int least, cudaStream_t stream) {
  constexpr std::size_t kShared =
      sizeof(ShortDecisions<R>) + sizeof(bf16) * 3 * kShortWarps * kOwnRows * MmaHead<D>::kStride;
  allow_shared(attention_short_kernel<D, R>, kShared);
  attention_short_kernel<D, R>
      <<<short_grid<R>(args), kShortThreads, kShared, stream>>>(problem_of<bf16>(args), least);
  check_launch("attention");
}

}  // namespace

void launch_attention_short(const AttentionArgs& args, cudaStream_t stream) {
  with_short_sizes(args, [&](auto d, auto rows, int least) {
    launch<decltype(d)::value, decltype(rows)::value>(args, least, stream);
  });
}

}  // namespace yona::cuda
