// Scaled dot-product attention of a query to some of the keys: time and memory are linear in the
// tokens. One kernel has them all (backend/attention_pattern.h).
//
//   window    the last w keys, itself included; without a causal mask w/2 on each side. Beltagy et
//             al. 2020 (Longformer), §3.1; Mistral. O(T·w·d). n layers reach n·(w - 1) tokens back.
//   dilated   the same with gaps: every dilation-th key (Longformer, §3.1). O(T·w·d); of
//             neighbouring tokens only those a multiple of the dilation away are seen.
//   blocks    the keys of its own block. Child et al. 2019; Qiu et al. 2020. O(T·B·d); nothing
//             passes from one block to another.
//   sparse    its own and the neighbouring blocks, `global_blocks` at the beginning that see all
//             and are seen by all (Longformer), `random_blocks` (BigBird, Zaheer et al. 2020).
//             O(T·(3 + g + r)·B·d) and O(g·B·T·d) of the global ones.
//
// Each has a causal form and works with a cache. dilated takes no relative positions.
#pragma once

#include "yona/nn/attention/mechanism.h"

namespace yona {

class SparseAttention : public AttentionMechanism {
 public:
  SparseAttention(const HeadShape& shape, const AttentionSpec& spec);
  Ragged operator()(const Ragged& Q, const Ragged& K, const Ragged& V, const Sight& sight,
                    Context& c) const override;
  Tensor operator()(const Tensor& Q, const CachedKeys& cache, const Sight& sight,
                    Context& c) const override;
  Tensor weights(const Ragged& Q, const Ragged& K, const Sight& sight, Context& c) const override;

 private:
  AttentionOptions sparse_options(const Sight& sight, Context& c) const;
  AttentionPattern pattern(Mask mask) const;

  AttentionKind kind_;
  AttentionSizes sizes_;
};

}  // namespace yona
