// Relative positions (Shaw et al. 2018) by buckets of distances (Raffel et al. 2020, section 2.1):
// a learned number for each head and bucket, spread out to the bias by distance of attention().
#pragma once

#include "yona/tensor/context.h"

namespace yona {

// table [B, heads], buckets i32 [2R+1] below B → [heads, 2R+1].
Tensor bucket_bias(const Tensor& table, const Tensor& buckets, Context& c);

}  // namespace yona
