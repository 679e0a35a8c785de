// The weights of attention themselves, for looking inside: a warp to each query and head forms the
// scores, and then their softmax in place. Not tuned: used for a few sentences at a time.

#include "yona/backend/cuda/attention/problem.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class T, bool kAdditive>
__device__ float score_of(const AttentionProblem<T>& p, const Sentence& sentence, int i, int j,
                          int head) {
  const T* q = p.q.row(sentence.first_query + i) + head * p.d_k;
  const T* k = p.k.row(sentence.first_key + j) + p.kv_head(head) * p.d_k;
  float sum = 0.0F;
  for (int c = 0; c < p.d_k; ++c) {
    sum += kAdditive ? p.vector.row(head)[c] * tanhf(to_float(q[c]) + to_float(k[c]))
                     : to_float(q[c]) * to_float(k[c]);
  }
  sum *= p.scale;
  if (p.bias.there()) {
    sum += p.bias.row(head)[bias_column(p.bias, j - sentence.position(i))];
  }
  return sum;
}

// A block to each sentence; its [heads, queries, keys] come after those of the sentences before.
template <class T, bool kAdditive>
__global__ void __launch_bounds__(kThreads)
    attention_weights_kernel(AttentionProblem<T> p, float* weights) {
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
    float* row = weights + static_cast<std::int64_t>(item) * sentence.keys;
    float largest = -INFINITY;
    for (int j = lane; j < visible; j += kLanes) {
      const bool seen = p.pattern.sees(sentence.position(i), j, sentence.keys);
      row[j] = seen ? score_of<T, kAdditive>(p, sentence, i, j, head) : -INFINITY;
      largest = fmaxf(largest, row[j]);
    }
    largest = warp_max(largest);
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

template <bool kAdditive>
void run(const AttentionWeightsArgs& args, const View& vector, Exec& exec) {
  const AttentionArgs& in = args.attention;
  if (in.sentences == 0) {
    return;
  }
  with_type(in.q.dtype, "attention_weights", [&](auto t) {
    using T = decltype(t);
    AttentionProblem<T> problem = problem_of<T>(in, vector);
    problem.dilation = 1;  // whole sentences
    attention_weights_kernel<T, kAdditive>
        <<<static_cast<unsigned>(in.sentences), kThreads, 0, stream_of(exec)>>>(
            problem, args.weights.row<float>(0));
  });
  check_launch("attention_weights");
}

void attention_weights(const AttentionWeightsArgs& args, Exec& exec) { run<false>(args, {}, exec); }

void additive_attention_weights(const AdditiveAttentionWeightsArgs& args, Exec& exec) {
  run<true>(args.attention, args.vector, exec);
}

const Registration registration([](Kernels& table) {
  table.attention_weights = attention_weights;
  table.additive_attention_weights = additive_attention_weights;
});

}  // namespace
}  // namespace yona::cuda
