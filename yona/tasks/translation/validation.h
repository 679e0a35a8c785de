// The loss on held-out pairs, and scores of translations where asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "yona/data/parallel_text.h"
#include "yona/tasks/seq2seq/held_out_loss.h"
#include "yona/tasks/translation/translation_scorer.h"
#include "yona/train/task.h"

namespace yona {

class Validation : public Evaluation {
 public:
  // Reads the pairs of one set; every pair counts that the model can take in. Throws as
  // ParallelText::open does.
  Validation(std::string name, const ParallelText& dataset, const Subword& target_subwords,
             std::int64_t batch_tokens)
      : loss_(std::move(name), dataset, target_subwords, batch_tokens) {}

  // From here on the source is translated too, and the translations scored.
  void add_scorer(TranslationScorer scorer, const SequenceModel& model, Backend& backend) {
    scorer_ = std::move(scorer);
    model_ = &model;
    backend_ = &backend;
  }

  ValidationReport run(Learner& learner) override;

 private:
  HeldOutLoss loss_;
  std::optional<TranslationScorer> scorer_;
  const SequenceModel* model_ = nullptr;
  Backend* backend_ = nullptr;
};

}  // namespace yona
