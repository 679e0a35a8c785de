// Attention by locality-sensitive hashing; what a token sees is in backend/lsh_args.h. Tensors have
// a row for each head of each token: x [T, h·d] as [T·h, d].
#pragma once

#include "yona/tensor/ops/cached_attention.h"

namespace yona {

struct LshOptions {
  std::int64_t heads = 1;
  std::int64_t rounds = 1;
  std::int64_t buckets = 2;  // even
  std::int64_t chunk = 64;
  float scale = 1.0F;
  bool causal = false;
};

// x [N, d], rotations [rounds · buckets / 2, d] → [N, rounds]: the number of the bucket. No
// gradient.
Tensor lsh_buckets(const Tensor& x, const Tensor& rotations, const LshOptions& options, Context& c);

// q, k [T·h, d_k], v [T·h, d_v], buckets [T·h, rounds] → [T·h, d_v]. Queries of one sentence may be
// fewer than its tokens: they are its last, then, and there is no gradient.
Tensor lsh_attention(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& buckets,
                     const std::shared_ptr<const Layout>& layout, const LshOptions& options,
                     Context& c);

// A step of decoding: q [rows·h, d_k] of the newest tokens → [rows·h, d_v]. A row of the cache has
// of each head its key, value and buckets, [h·(d_k + d_v + rounds)]. Costs a look at the buckets of
// all the tokens before, and attention to 2 · chunk · rounds of them at most.
Tensor cached_lsh_attention(const Tensor& q, const CachedKeys& keys, std::int64_t d_v,
                            const LshOptions& options, Context& c);

}  // namespace yona
