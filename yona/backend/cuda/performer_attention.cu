// Attention by random features: a block takes a sentence and a head of keys, and goes over its
// tokens (attention/performer.cuh). Weights, for looking inside: a warp to each query and head.

#include <algorithm>

#include "yona/backend/cuda/attention/performer.cuh"
#include "yona/backend/cuda/attention/performer_score.cuh"
#include "yona/backend/cuda/attention/problem.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

constexpr std::int64_t kMostBlocks = 264;  // two to a multiprocessor of an H200: bounds the memory

template <class T, bool kBackward>
__global__ void __launch_bounds__(kThreads) performer_kernel(PerformerProblem<T> p) {
  const PerformerMemory memory(p);
  for_each_element(p.d_k * p.m, [&](int i) { memory.omega[i] = p.features.row(i % p.m)[i / p.m]; });
  const int kv_heads = p.heads / p.heads_per_kv;
  for (int unit = static_cast<int>(blockIdx.x); unit < p.sentences * kv_heads;
       unit += static_cast<int>(gridDim.x)) {
    for (int n = 0; n < p.heads_per_kv; ++n) {
      const int head = unit % kv_heads * p.heads_per_kv + n;
      PerformerHead<T, kBackward> block(p, memory, unit / kv_heads, head);
      if constexpr (kBackward) {
        block.backward(n > 0 || p.accumulate_dk, n > 0 || p.accumulate_dv);
      } else {
        block.forward();
      }
    }
  }
}

template <class T>
PerformerProblem<T> performer_problem(const AttentionArgs& args, const View& features) {
  PerformerProblem<T> p;
  p.q = rows_of<T>(args.q);
  p.k = rows_of<T>(args.k);
  p.v = rows_of<T>(args.v);
  p.out = rows_of<T>(args.out);
  p.lse = rows_of<float>(args.lse);
  p.features = rows_of<float>(features);
  p.q_offsets = args.q_offsets;
  p.k_offsets = args.k_offsets;
  p.sentences = static_cast<int>(args.sentences);
  p.heads = static_cast<int>(args.heads);
  p.heads_per_kv = static_cast<int>(args.heads_per_kv);
  p.d_k = static_cast<int>(args.d_k);
  p.d_v = static_cast<int>(args.d_v);
  p.m = static_cast<int>(features.rows);
  p.scale = args.scale;
  p.causal = args.mask != Mask::none;
  p.chunks = static_cast<int>(blocks_for(args.longest_k, kPerformerChunk));
  return p;
}

template <bool kBackward, class T>
void launch(PerformerProblem<T> p, Exec& exec) {
  const std::int64_t units = static_cast<std::int64_t>(p.sentences) * (p.heads / p.heads_per_kv);
  const std::int64_t blocks = std::min(units, kMostBlocks);
  if (blocks == 0) {
    return;
  }
  Scratch& scratch = exec_of(exec).scratch;
  const std::int64_t floats = blocks * p.memory_of_block();
  scratch.begin(Scratch::size_for<float>(floats), stream_of(exec));
  p.memory = scratch.take<float>(floats);
  performer_kernel<T, kBackward>
      <<<static_cast<unsigned>(blocks), kThreads, 0, stream_of(exec)>>>(p);
}

void performer_attention(const PerformerAttentionArgs& args, Exec& exec) {
  with_forward_type(args.attention.q.dtype, "performer_attention", [&](auto t) {
    launch<false>(performer_problem<decltype(t)>(args.attention, args.features), exec);
  });
  check_launch("performer_attention");
}

void performer_attention_backward(const PerformerAttentionBackwardArgs& args, Exec& exec) {
  const AttentionBackwardArgs& in = args.attention;
  with_type(in.forward.q.dtype, "performer_attention_backward", [&](auto t) {
    using T = decltype(t);
    PerformerProblem<T> p = performer_problem<T>(in.forward, args.features);
    p.dout = rows_of<T>(in.dout);
    p.dq = rows_of<T>(in.dq);
    p.dk = rows_of<T>(in.dk);
    p.dv = rows_of<T>(in.dv);
    p.accumulate_dq = in.accumulate_dq;
    p.accumulate_dk = in.accumulate_dk;
    p.accumulate_dv = in.accumulate_dv;
    launch<true>(p, exec);
  });
  check_launch("performer_attention_backward");
}

// A block to each sentence; its [heads, queries, keys] come after those of the sentences before.
template <class T>
__global__ void __launch_bounds__(kThreads)
    performer_weights_kernel(AttentionProblem<T> p, Rows<float> features, int m, float* weights) {
  const Sentence sentence(p, blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  for (unsigned s = 0; s < blockIdx.x; ++s) {
    const Sentence before(p, s);
    weights += static_cast<std::int64_t>(before.queries) * before.keys * p.heads;
  }
  for (int item = warp; item < sentence.queries * p.heads; item += kWarps) {
    const int head = item / sentence.queries;
    const int i = item % sentence.queries;
    const int visible = sentence.visible(i);
    const T* q = p.q.row(sentence.first_query + i) + head * p.d_k;
    float* row = weights + static_cast<std::int64_t>(item) * sentence.keys;
    float largest = -INFINITY;
    for (int j = 0; j < visible; ++j) {
      const T* k = p.k.row(sentence.first_key + j) + p.kv_head(head) * p.d_k;
      const float score = performer_score(features, m, sqrtf(p.scale), q, k, p.d_k, lane);
      largest = fmaxf(largest, score);
      if (lane == 0) {
        row[j] = score;
      }
    }
    __syncwarp();
    float sum = 0.0F;
    for (int j = lane; j < visible; j += kLanes) {
      row[j] = expf(row[j] - largest);
      sum += row[j];
    }
    sum = warp_sum(sum);
    for (int j = lane; j < sentence.keys; j += kLanes) {
      row[j] = j < visible ? row[j] / sum : 0.0F;
    }
  }
}

void performer_attention_weights(const PerformerAttentionWeightsArgs& args, Exec& exec) {
  const AttentionArgs& in = args.attention.attention;
  if (in.sentences == 0) {
    return;
  }
  with_type(in.q.dtype, "performer_attention_weights", [&](auto t) {
    using T = decltype(t);
    performer_weights_kernel<T>
        <<<static_cast<unsigned>(in.sentences), kThreads, 0, stream_of(exec)>>>(
            problem_of<T>(in), rows_of<float>(args.features), static_cast<int>(args.features.rows),
            args.attention.weights.row<float>(0));
  });
  check_launch("performer_attention_weights");
}

const Registration registration([](Kernels& table) {
  table.performer_attention = performer_attention;
  table.performer_attention_backward = performer_attention_backward;
  table.performer_attention_weights = performer_attention_weights;
});

}  // namespace
}  // namespace yona::cuda
