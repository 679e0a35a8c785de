// Which rank owns which part of a flat buffer: sums of gradients, moments and average of that part
// are its own ("ZeRO", Rajbhandari et al. 2020, stage 1).
//
// The buffer is cut into buckets and each bucket into one slice for each rank, so that a bucket is
// exchanged by all ranks alike. Slices begin at multiples of kGranule elements, which is also the
// piece that the squared norm is added up by: its sum has the same order for any number of ranks.
#pragma once

#include <cstdint>
#include <vector>

namespace yona {

class Shards {
 public:
  static constexpr std::int64_t kGranule = std::int64_t{1} << 16U;

  struct Slice {
    std::int64_t begin = 0, end = 0;  // of the buffer
    std::int64_t packed = 0;          // where it is among its owner's elements, laid end to end
    std::int64_t count() const { return end - begin; }
  };

  // Of a buffer with `count` elements, as seen by this rank.
  explicit Shards(std::int64_t count, int rank = 0, int size = 1);

  std::int64_t count() const { return count_; }
  int rank() const { return rank_; }
  int size() const { return size_; }

  // One for each bucket, in the order of the buffer; some may be empty.
  std::vector<Slice> slices(int rank) const;
  const std::vector<Slice>& own() const { return own_; }
  std::int64_t owned() const { return own_.empty() ? 0 : own_.back().packed + own_.back().count(); }
  std::int64_t largest_own() const;

  std::int64_t granules() const { return (count_ + kGranule - 1) / kGranule; }

 private:
  std::int64_t count_;
  int rank_, size_;
  std::vector<Slice> own_;
};

}  // namespace yona
