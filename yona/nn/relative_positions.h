// How far apart two tokens are, as a number added to their attention score: learned for each head
// and each bucket of distances (Raffel et al. 2020, section 2.1), instead of the vectors of §3.5.
//
// Half of the buckets hold one distance each, the others growing ranges of them up to `reach`; what
// is farther away is in the last one. Where both directions are seen, each has half of the buckets.
#pragma once

#include <vector>

#include "yona/nn/module.h"
#include "yona/tensor/context.h"

namespace yona {

struct DistanceBuckets {
  std::int64_t count = 32;
  std::int64_t reach = 128;  // distances from here on are one bucket
  bool both_ways = true;     // keys after the query too (encoder), or before it only (decoder)
};

// The bucket of each distance key - query from -reach to reach.
std::vector<std::int32_t> bucket_of_distances(const DistanceBuckets& buckets);

class RelativePositions : public Module {
 public:
  RelativePositions(const DistanceBuckets& buckets, std::int64_t heads);

  // [heads, 2·reach + 1], as attention() takes it.
  Tensor operator()(Context& c) const;

 private:
  std::vector<std::int32_t> bucket_of_;
  Parameter weight_;  // [buckets, heads]
};

}  // namespace yona
