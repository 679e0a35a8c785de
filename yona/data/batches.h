// Which examples go into which batch: the plan of one epoch.
//
// A batch is filled up to a budget of tokens: the largest of its sides' totals, tags and </s>
// included, is at most `batch_tokens`. Only an example that alone is longer makes a batch of its
// own that exceeds it. Examples are grouped by length: each belongs to a bucket of similar length
// (the longest side, eight buckets to a doubling), buckets are shuffled inside and laid one after
// another, the row is cut into batches, and the batches are shuffled.
//
// The plan is a function of the data, the seed and the epoch, so any batch of it can be had without
// the ones before. It takes 4 bytes an example (8 while it is made).
//
// A corpus of weight w is seen w times an epoch: each example floor(w) times, and of the rest a
// share that moves on from epoch to epoch, so that after 1 / (w - floor(w)) epochs all examples
// have had their turn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yona/data/examples.h"

namespace yona {

// Examples that an epoch sees, weights counted. Throws InvalidArgument naming the corpus when they
// are too many.
std::uint64_t epoch_examples(const Examples& examples);

class BatchPlan {
 public:
  // Throws InvalidArgument when batch_tokens is not positive.
  static BatchPlan shuffled(const Examples& examples, std::int64_t batch_tokens, std::uint64_t seed,
                            std::int64_t epoch);
  // Every example once, in the order of the files: for validation.
  static BatchPlan in_order(const Examples& examples, std::int64_t batch_tokens);

  std::int64_t batches() const { return static_cast<std::int64_t>(order_.size()); }
  std::uint64_t examples() const { return examples_.size(); }  // of the epoch; weights counted
  // The examples of a batch, by their numbers.
  std::span<const std::uint32_t> batch(std::int64_t index) const;

 private:
  void cut(const Examples& examples, std::int64_t batch_tokens);

  std::vector<std::uint32_t> examples_;
  std::vector<std::uint64_t> starts_;  // batches + 1, in examples_
  std::vector<std::uint32_t> order_;   // the batches as they are given out
};

}  // namespace yona
