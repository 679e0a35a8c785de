// The loss on held-out text: per token, and per byte, which does not depend on the tokens and so
// compares models with different ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/data/documents/lm_text.h"
#include "yona/train/task.h"

namespace yona {

class LmValidation : public Evaluation {
 public:
  LmValidation(std::string name, const LmText& text, std::int64_t batch_tokens);
  ValidationReport run(Learner& learner) override;

 private:
  std::string name_;
  std::vector<Batch> batches_;
  std::uint64_t bytes_;
};

}  // namespace yona
