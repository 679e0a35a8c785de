// The gradient of an update: the sum of those of its micro-batches, in their order, whichever rank
// computed them. So N ranks have the same bits as one that accumulates N times as much.
//
// Rank r has micro-batches r, r + N, r + 2N … of an update. After each round every rank sends the
// slices of its gradient to their owners (parallel/shards.h), which add them in the order of ranks:
// that of the micro-batches.
#pragma once

#include <cstdint>

#include "yona/nn/parameters.h"
#include "yona/parallel/communicator.h"
#include "yona/parallel/shards.h"

namespace yona {

class GradientSum {
 public:
  // For updates of so many micro-batches, at all ranks together. `parameters` and `ranks` must
  // outlive this object; nullptr: this process is alone.
  GradientSum(Parameters& parameters, Backend& backend, std::int64_t micro_batches,
              Communicator* ranks = nullptr);

  // Of this rank, in a round; ranks may have none in the last.
  bool has_micro_batch(std::int64_t round) const { return micro_batch(round) < micro_batches_; }
  std::int64_t micro_batch(std::int64_t round) const {
    return round * shards_.size() + shards_.rank();
  }
  std::int64_t rounds() const { return (micro_batches_ + shards_.size() - 1) / shards_.size(); }

  // Adds what the parameters' gradients hold after a round; the first one begins a new sum. All
  // ranks together.
  void add(std::int64_t round);
  // Of this rank's shard; valid after the last round.
  Tensor total() const { return sum_ ? sum_.columns(0, shards_.owned()) : parameters_.gradients(); }

  // Seconds that add() has waited for other ranks or exchanged data with them, in all.
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  void add_exchanged(std::int64_t round);
  void add_slice(const Tensor& gradients, std::int64_t packed, bool is_first);

  Parameters& parameters_;
  Backend& backend_;
  std::int64_t micro_batches_;
  Communicator* ranks_;
  Shards shards_;
  Region region_;
  Tensor sum_;       // [1, owned]; empty where the parameters' own gradients are the sum
  Tensor received_;  // [ranks, the largest own slice]; empty in a process alone
  double exchange_seconds_ = 0;
};

}  // namespace yona
