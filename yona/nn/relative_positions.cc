#include "yona/nn/relative_positions.h"

#include <algorithm>
#include <cmath>

#include "yona/tensor/ops/bucket_bias.h"

namespace yona {

namespace {

// Of a distance ≥ 0, among `count` buckets. In f32, as the published models were trained: where a
// range ends is a matter of rounding.
std::int32_t bucket_of(std::int64_t distance, std::int64_t count, std::int64_t reach) {
  const std::int64_t exact = count / 2;
  if (distance < exact) {
    return static_cast<std::int32_t>(distance);
  }
  const float ratio =
      std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
      static_cast<float>(std::log(static_cast<double>(reach) / static_cast<double>(exact)));
  const auto bucket = exact + static_cast<std::int64_t>(ratio * static_cast<float>(count - exact));
  return static_cast<std::int32_t>(std::min(bucket, count - 1));
}

}  // namespace

std::vector<std::int32_t> bucket_of_distances(const DistanceBuckets& buckets) {
  check(buckets.count >= (buckets.both_ways ? 4 : 2) && buckets.reach > buckets.count / 2,
        "relative positions: {} buckets cannot hold distances up to {}", buckets.count,
        buckets.reach);
  const std::int64_t count = buckets.both_ways ? buckets.count / 2 : buckets.count;
  std::vector<std::int32_t> table;
  for (std::int64_t distance = -buckets.reach; distance <= buckets.reach; ++distance) {
    if (buckets.both_ways) {
      const auto side = static_cast<std::int32_t>(distance > 0 ? count : 0);
      table.push_back(side + bucket_of(std::abs(distance), count, buckets.reach));
    } else {
      table.push_back(bucket_of(std::max<std::int64_t>(-distance, 0), count, buckets.reach));
    }
  }
  return table;
}

RelativePositions::RelativePositions(const DistanceBuckets& buckets, std::int64_t heads)
    : bucket_of_(bucket_of_distances(buckets)) {
  weight_ = {.shape = {buckets.count, heads}, .init = Init::normal, .deviation = 0.1};
  add("weight", weight_);
}

Tensor RelativePositions::operator()(Context& c) const {
  const Tensor buckets(c.region, DType::i32, Shape{static_cast<std::int64_t>(bucket_of_.size())});
  buckets.upload(bucket_of_);
  return bucket_bias(weight_.value, buckets, c);  // [h, 2·reach + 1]
}

}  // namespace yona
