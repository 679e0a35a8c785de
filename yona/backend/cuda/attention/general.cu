// Attention forward over ragged sentences, general version: online softmax over tiles of keys
// (Milakov and Gimelshein 2018), so that memory does not grow with the square of the length.

#include "yona/backend/cuda/attention/problem.cuh"
#include "yona/backend/cuda/runtime/registration.h"

namespace yona::cuda {

namespace {

template <class Size>
std::size_t shared_bytes(int d_k, int d_v) {
  return sizeof(float) * static_cast<std::size_t>(Size::kTile * (d_k + 1) + Size::kTile * d_v +
                                                  Size::kBlockRows * d_k);
}

// The running softmax of one query, the same in every lane.
struct Running {
  float largest = -INFINITY;
  float sum = 0.0F;
};

// From this lane's score: its weight before division, the sum so far brought up to date, and what
// has been added up so far multiplied by the returned correction.
__device__ float update(Running& running, float score, float& weight) {
  const float largest = fmaxf(running.largest, warp_max(score));
  if (largest == -INFINITY) {
    weight = 0.0F;
    return 1.0F;
  }
  weight = expf(score - largest);
  const float correction = expf(running.largest - largest);
  running.sum = running.sum * correction + warp_sum(weight);
  running.largest = largest;
  return correction;
}

template <class T, class Size>
__global__ void __launch_bounds__(Size::kBlockThreads) attention_kernel(AttentionProblem<T> p) {
  constexpr int kGroup = Size::kGroup;
  extern __shared__ float shared[];
  const int head = static_cast<int>(blockIdx.y);
  const std::int64_t s = blockIdx.x / p.tiles;
  const Sentence sentence(p, s);
  const int block_first = static_cast<int>(blockIdx.x % p.tiles) * Size::kBlockRows;
  if (block_first >= sentence.queries) {
    return;
  }
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  float* k_tile = shared;                              // [kTile, d_k + 1]
  float* v_tile = k_tile + Size::kTile * (p.d_k + 1);  // [kTile, d_v]
  float* q_group = v_tile + Size::kTile * p.d_v + warp * kGroup * p.d_k;
  const int first = block_first + warp * kGroup;
  const int count = min(max(sentence.queries - first, 0), kGroup);
  load_group<kGroup>(sentence.query_rows(p.q), first, count, head, p.d_k, q_group);

  Running running[kGroup];
  float total[kGroup][Size::kWide] = {};
  const int last = min(block_first + Size::kBlockRows, sentence.queries) - 1;
  const int end = sentence.visible(last);
  for (int j0 = 0; j0 < end; j0 += Size::kTile) {
    const int keys = min(Size::kTile, end - j0);
    if (!sentence.some_see(block_first, last, j0, j0 + keys - 1)) {
      continue;
    }
    __syncthreads();
    load_tile(sentence.key_rows(p.k), j0, keys, Size::kTile, p.kv_head(head), p.d_k, k_tile,
              p.d_k + 1);
    load_tile(sentence.key_rows(p.v), j0, keys, Size::kTile, p.kv_head(head), p.d_v, v_tile, p.d_v);
    __syncthreads();
    float weight[kGroup];
    const float* vector = Size::kAdditive ? p.vector.row(head) : nullptr;
    score<Size>(q_group, k_tile + lane % Size::kTile * (p.d_k + 1), vector, p.d_k, weight);
    const int j = j0 + lane;
#pragma unroll
    for (int g = 0; g < kGroup; ++g) {
      const int i = first + g;
      const bool seen = g < count && lane < keys && sentence.sees(i, j);
      float scored = -INFINITY;
      if (seen) {
        scored = weight[g] * p.scale;
        if (p.bias.there()) {
          scored += p.bias.row(head)[bias_column(p.bias, j - sentence.position(i))];
        }
      }
      const float correction = update(running[g], scored, weight[g]);
#pragma unroll
      for (int w = 0; w < Size::kWide; ++w) {
        total[g][w] *= correction;
      }
      if (p.dropout.threshold != 0 && seen) {
        const std::uint64_t key = p.q_keys[sentence.query_row(i)];
        const bool kept = keeps_weight_here(p.dropout, key, sentence.token(j), head);
        weight[g] = kept ? weight[g] * p.dropout.scale : 0.0F;
      }
    }
    for (int jj = 0; jj < keys; ++jj) {
      float v[Size::kWide];
#pragma unroll
      for (int w = 0; w < Size::kWide; ++w) {
        const int c = w * kLanes + lane;
        v[w] = c < p.d_v ? v_tile[jj * p.d_v + c] : 0.0F;
      }
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
        const float x = __shfl_sync(0xFFFFFFFFU, weight[g], jj);
#pragma unroll
        for (int w = 0; w < Size::kWide; ++w) {
          total[g][w] += x * v[w];
        }
      }
    }
  }
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    if (g >= count) {
      break;
    }
    const std::int64_t row = sentence.query_row(first + g);
    const float share = running[g].sum > 0.0F ? 1.0F / running[g].sum : 0.0F;
#pragma unroll
    for (int w = 0; w < Size::kWide; ++w) {
      const int c = w * kLanes + lane;
      if (c < p.d_v) {
        p.out.row(row)[head * p.d_v + c] = from_float<T>(total[g][w] * share);
      }
    }
    if (lane == 0) {
      p.lse.row(row)[head] =
          running[g].sum > 0.0F ? running[g].largest + logf(running[g].sum) : -INFINITY;
    }
  }
}

template <class T, class Size>
void launch(AttentionProblem<T> problem, const AttentionArgs& args, Exec& exec) {
  problem.tiles = static_cast<int>(blocks_for(args.longest_q, Size::kBlockRows));
  const dim3 grid(static_cast<unsigned>(problem.tiles * problem.parts()),
                  static_cast<unsigned>(args.heads));
  const std::size_t shared = shared_bytes<Size>(problem.d_k, problem.d_v);
  allow_shared(attention_kernel<T, Size>, shared);
  attention_kernel<T, Size><<<grid, Size::kBlockThreads, shared, stream_of(exec)>>>(problem);
  check_launch("attention");
}

void additive_attention(const AdditiveAttentionArgs& args, Exec& exec) {
  const AttentionArgs& in = args.attention;
  if (in.sentences == 0 || in.longest_q == 0) {
    return;
  }
  with_forward_type(in.q.dtype, "additive_attention", [&](auto t) {
    with_heads(in, "additive_attention", [&](auto /*size*/) {
      launch<decltype(t), AdditiveHeads>(problem_of<decltype(t)>(in, args.vector), in, exec);
    });
  });
}

const Registration registration([](Kernels& table) {
  table.additive_attention = additive_attention;
});

}  // namespace

void launch_attention_general(const AttentionArgs& args, Exec& exec) {
  with_forward_type(args.q.dtype, "attention", [&](auto t) {
    with_heads(args, "attention", [&](auto size) {
      launch<decltype(t), decltype(size)>(problem_of<decltype(t)>(args), args, exec);
    });
  });
}

}  // namespace yona::cuda
