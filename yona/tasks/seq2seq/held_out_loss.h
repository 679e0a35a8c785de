// The loss on held-out pairs of sequences: per token, and per byte of target text, which does not
// depend on the sub-words and so compares models with different ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/data/examples.h"
#include "yona/text/subword.h"
#include "yona/train/task.h"

namespace yona {

class HeldOutLoss {
 public:
  HeldOutLoss(std::string name, const Examples& examples, const Subword& target_subwords,
              std::int64_t batch_tokens);

  // Everything but figures and seconds.
  ValidationReport run(Learner& learner) const;

 private:
  std::string name_;
  std::vector<Batch> batches_;
  std::int64_t target_bytes_ = 0;
};

}  // namespace yona
