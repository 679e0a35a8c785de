// Beginnings of validation text, continued while a model trains: each time the most probable token.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yona/backend/backend.h"
#include "yona/models/causal_lm.h"
#include "yona/tasks/language_model/config.h"
#include "yona/text/tokenizer/text_tokenizer.h"
#include "yona/train/task.h"

namespace yona {

class LmSamples : public Sampler {
 public:
  // Takes `count` beginnings from data.valid. The tokeniser and the model must outlive this object.
  LmSamples(const LmDataConfig& data, const TextTokenizer& tokenizer, std::int64_t count,
            const CausalLm& model, Backend& backend);
  SamplesReport run() override;

 private:
  std::vector<std::int32_t> continued(const std::vector<std::int32_t>& prompt);

  struct Sample {
    std::vector<std::int32_t> prompt;
    std::string input, expected;
  };
  std::vector<Sample> samples_;
  const TextTokenizer& tokenizer_;
  const CausalLm& model_;
  Backend& backend_;
  std::int64_t length_;  // of prompt and of continuation, in tokens
};

}  // namespace yona
