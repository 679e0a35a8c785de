// Attention by locality-sensitive hashing (Kitaev et al. 2020, "Reformer: The Efficient
// Transformer"), §2: queries are keys, keys are normalised, and a token sees those that are hashed
// to the same bucket in one of several rounds (backend/lsh_args.h), itself only where it sees
// nothing else. Time O(n · hashes · chunk · d).
//
// Rounds are not combined by their log-sums, as in §2: a softmax over what a token sees in any of
// them, each key once, is the same with the correction for keys seen twice (appendix A).
//
// Departures: chunks end where a bucket ends, so that a text's later tokens change nothing of its
// earlier ones; the rotations, drawn once from the layer's name, are those of all heads and steps;
// weights have no dropout.
#pragma once

#include <vector>

#include "yona/nn/attention/mechanism.h"
#include "yona/tensor/ops/lsh_attention.h"

namespace yona {

class ReformerAttention : public AttentionMechanism {
 public:
  ReformerAttention(const HeadShape& shape, const AttentionSpec& spec);

  // K is not read: keys are normalised queries.
  Ragged operator()(const Ragged& Q, const Ragged& K, const Ragged& V, const Sight& sight,
                    Context& c) const override;
  Tensor operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                    Context& c) const override;
  // Of each head: key, value and buckets, [T, h·(d_k + d_v + hashes)].
  Tensor cached(const Tensor& Q, const Tensor& V, Context& c) const override;
  Tensor weights(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const override;

 private:
  Tensor keys(const Tensor& Q, Context& c) const;  // [T·h, d_k]
  // Of one sentence: [h, n, n].
  std::vector<double> weights_of(const Tensor& Q, const LshOptions& options, Context& c) const;
  LshOptions lsh_options(const Sight& sight) const;

  AttentionSizes sizes_;
  Constant rotations_, unit_;
};

}  // namespace yona
