// The loss on held-out pairs: per token, and per byte of target text, which does not depend on the
// sub-words and so compares models with different ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "yona/data/dataset.h"
#include "yona/train/learner.h"
#include "yona/train/progress.h"

namespace yona {

class Validation {
 public:
  // Reads the pairs of one set; every pair counts that the model can take in. Throws as
  // Dataset::open does.
  Validation(std::string name, const Dataset& dataset, const Subword& target_subwords,
             std::int64_t batch_tokens);

  const std::string& name() const { return name_; }
  // Everything but update and is_best is filled in.
  ValidationReport run(Learner& learner) const;

 private:
  std::string name_;
  std::vector<PairBatch> batches_;
  std::int64_t target_bytes_ = 0;
};

}  // namespace yona
