// The problem of the backward kernels. With p = softmax(scores), m what dropout multiplies by, and
// D_i = Σ_c dout_ic · out_ic, which is Σ_j p_ij m_ij dp_ij:
//   ds_ij = p_ij (m_ij dout_i·v_j - D_i);   dv_j = Σ_i m_ij p_ij dout_i
//   dq_i = scale Σ_j ds_ij k_j;             dk_j = scale Σ_i ds_ij q_i
// Queries and keys are two passes that each form the scores again: sums then have a fixed order.
#pragma once

#include "yona/backend/cuda/attention/problem.cuh"

namespace yona::cuda {

template <class T>
struct AttentionBackwardProblem {
  AttentionProblem<T> in;
  Rows<T> dout, dq, dk, dv;  // dk and dv each optional
  bool accumulate_dq = false, accumulate_dk = false, accumulate_dv = false;
  Rows<float> delta;  // [T_q, h]: D
  // Partial sums of the bias' and the vector's gradients, a row for each warp: each optional.
  float* dbias = nullptr;    // [heads, blocks · warps, bias.cols]
  float* dvector = nullptr;  // [heads, blocks · warps, d_k]
  std::int64_t items = 0;    // sentences · tiles
};

// p_ij and what dropout multiplies it by; zero where the query does not see the key.
struct Weight {
  float p = 0.0F;
  float factor = 1.0F;
};

template <class T>
__device__ Weight weight_of(const AttentionProblem<T>& in, const Sentence& sentence, int i, int j,
                            int head, float scored, float lse) {
  Weight weight;
  scored *= in.scale;
  if (in.bias.there()) {
    scored += in.bias.row(head)[bias_column(in.bias, j - sentence.position(i))];
  }
  weight.p = expf(scored - lse);
  if (in.dropout.threshold != 0) {
    const std::uint64_t key = in.q_keys[sentence.query_row(i)];
    const bool kept = keeps_weight_here(in.dropout, key, sentence.token(j), head);
    weight.factor = kept ? in.dropout.scale : 0.0F;
  }
  return weight;
}

// Writes or adds the group's rows of `channels` channels: channel c is in lane c % 32.
template <class Size, class T>
__device__ void put_group(const Rows<T>& to, std::int64_t first, int count, int head, int d,
                          const float (&rows)[Size::kGroup][Size::kWide], float factor,
                          bool accumulate) {
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
#pragma unroll
  for (int g = 0; g < Size::kGroup; ++g) {
#pragma unroll
    for (int w = 0; w < Size::kWide; ++w) {
      const int c = w * kLanes + lane;
      if (g < count && c < d) {
        T& place = to.row(first + g)[head * d + c];
        const float value = rows[g][w] * factor;
        place = from_float<T>(accumulate ? to_float(place) + value : value);
      }
    }
  }
}

// Has backward something to write? Sentences without queries still have gradients of keys: zeros.
bool has_work(const AttentionArgs& args);

// The two passes, launched by attention/general_backward.cu.
template <class T, class Size>
void launch_query_gradients(AttentionBackwardProblem<T> problem, unsigned blocks,
                            cudaStream_t stream);
template <class T, class Size>
void launch_key_gradients(AttentionBackwardProblem<T> problem, std::int64_t longest_k,
                          cudaStream_t stream);

// Of a block of key or query gradients: a tile of each operand, and the block's own rows.
template <class Size>
std::size_t gradient_shared_bytes(int d_k, int d_v) {
  return sizeof(float) * static_cast<std::size_t>(Size::kTile * (d_k + 1 + d_v + 1) +
                                                  Size::kBlockRows * (d_k + d_v));
}

void launch_attention_backward_general(const AttentionBackwardArgs& args, Exec& exec);

}  // namespace yona::cuda
