// The loss on held-out pairs: per token, and per byte of target text, which does not depend on the
// sub-words and so compares models with different ones; and scores of translations where asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "yona/data/dataset.h"
#include "yona/train/learner.h"
#include "yona/train/progress.h"
#include "yona/train/translation_scorer.h"

namespace yona {

class Validation {
 public:
  // Reads the pairs of one set; every pair counts that the model can take in. Throws as
  // Dataset::open does.
  Validation(std::string name, const Dataset& dataset, const Subword& target_subwords,
             std::int64_t batch_tokens);

  // From here on the source is translated too, and the translations scored.
  void add_scorer(TranslationScorer scorer) { scorer_ = std::move(scorer); }

  const std::string& name() const { return name_; }
  // Everything but update and is_best is filled in.
  ValidationReport run(Learner& learner, const Transformer& model, Backend& backend) const;

 private:
  std::string name_;
  std::vector<PairBatch> batches_;
  std::int64_t target_bytes_ = 0;
  std::optional<TranslationScorer> scorer_;
};

}  // namespace yona
