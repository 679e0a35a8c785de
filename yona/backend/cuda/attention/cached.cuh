// Attention of single queries over the rows of a cache: the problem, and the kernel for tensor
// cores (attention/cached_mma.cu) and the others (cached_attention.cu).
#pragma once

#include "yona/backend/attention_pattern.h"
#include "yona/backend/cuda/common/rows.cuh"

namespace yona::cuda {

template <class T>
struct Cached {
  Rows<T> q, k, v, out, fresh;
  Rows<float> vector, features, bias;
  const std::int32_t* table = nullptr;
  std::int64_t table_stride = 0;
  const std::int64_t* first = nullptr;
  const std::int32_t* counts = nullptr;
  const std::int32_t* places = nullptr;
  std::int64_t rows = 0;
  int heads = 1, d_k = 0, d_v = 0;
  float scale = 1.0F;
  int heads_per_kv = 1;
  AttentionPattern pattern{};
  bool puts_fresh = true;  // by the attention itself; else the cache has them already
  int feature_count = 0;

  __device__ int kv_head(int head) const { return head / heads_per_kv; }
};

// For heads of 64 channels in whole packs, and fewer than 2³¹ rows of the cache at distances of
// fewer elements; scores that are dot products, neither a bias nor a pattern, and keys and values
// for every head.
void launch_cached_mma(const Cached<bf16>& c, cudaStream_t stream);
void launch_cached_mma(const Cached<f16>& c, cudaStream_t stream);

}  // namespace yona::cuda
