// Which sentence pairs go into which batch: the plan of one epoch.
//
// A batch is filled up to a budget of tokens: the larger of its source and target totals, tags and
// </s> included, is at most `batch_tokens`. Only a pair that alone is longer makes a batch of its
// own that exceeds it. Pairs are grouped by length: each belongs to a bucket of similar length (the
// larger side, eight buckets to a doubling), buckets are shuffled inside and laid one after
// another, the row is cut into batches, and the batches are shuffled.
//
// The plan is a function of the data, the seed and the epoch, so any batch of it can be had without
// the ones before. It takes 4 bytes a pair (8 while it is made).
//
// A corpus of weight w is seen w times an epoch: each pair floor(w) times, and of the rest a share
// that moves on from epoch to epoch, so that after 1 / (w - floor(w)) epochs all pairs have had
// their turn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yona/data/dataset.h"

namespace yona {

// Pairs that an epoch sees, weights counted. Throws InvalidArgument naming the corpus when they are
// too many.
std::uint64_t epoch_pairs(const Dataset& dataset);

class BatchPlan {
 public:
  // Throws InvalidArgument when batch_tokens is not positive.
  static BatchPlan shuffled(const Dataset& dataset, std::int64_t batch_tokens, std::uint64_t seed,
                            std::int64_t epoch);
  // Every pair once, in the order of the files: for validation.
  static BatchPlan in_order(const Dataset& dataset, std::int64_t batch_tokens);

  std::int64_t batches() const { return static_cast<std::int64_t>(order_.size()); }
  std::uint64_t pairs() const { return pairs_.size(); }  // of the epoch; weights counted
  // The pairs of a batch, as the dataset numbers them.
  std::span<const std::uint32_t> batch(std::int64_t index) const;

 private:
  void cut(const Dataset& dataset, std::int64_t batch_tokens);

  std::vector<std::uint32_t> pairs_;
  std::vector<std::uint64_t> starts_;  // batches + 1, in pairs_
  std::vector<std::uint32_t> order_;   // the batches as they are given out
};

}  // namespace yona
