#include "yona/parallel/shards.h"

#include <algorithm>

namespace yona {

namespace {

// Messages of 4 MiB, or less with many ranks, so that a bucket has at most 32 MiB and a model has
// several buckets to exchange during the backward pass.
constexpr std::int64_t kLargestSlice = 16;
constexpr std::int64_t kLargestBucket = 128;  // granules

std::int64_t bucket_granules(std::int64_t ranks) {
  return std::clamp<std::int64_t>(kLargestBucket / ranks, 1, kLargestSlice) * ranks;
}

}  // namespace

Shards::Shards(std::int64_t count, int rank, int size)
    : count_(count), rank_(rank), size_(size), own_(slices(rank)) {}

std::vector<Shards::Slice> Shards::slices(int rank) const {
  const std::int64_t all = granules();
  const std::int64_t bucket = size_ == 1 ? std::max<std::int64_t>(all, 1) : bucket_granules(size_);
  std::vector<Slice> result;
  std::int64_t packed = 0;
  for (std::int64_t first = 0; first < all; first += bucket) {
    const std::int64_t here = std::min(bucket, all - first);
    const auto edge = [&](std::int64_t number) {
      return std::min(count_, (first + here * number / size_) * kGranule);
    };
    result.push_back({edge(rank), edge(rank + 1), packed});
    packed += result.back().count();
  }
  return result;
}

std::int64_t Shards::largest_own() const {
  std::int64_t largest = 0;
  for (const Slice& slice : own_) {
    largest = std::max(largest, slice.count());
  }
  return largest;
}

}  // namespace yona
