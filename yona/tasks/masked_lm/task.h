// Masked language modelling as a task: plain text, a BERT that predicts masked tokens.
#pragma once

#include "yona/tasks/encoder/encoder_task.h"

namespace yona {

class MaskedLmTask : public EncoderTask {
 public:
  MaskedLmTask(RunConfig config, const RunPlace& place);

  std::unique_ptr<Objective> make_objective() const override;
  std::shared_ptr<const Examples> open_training() override;
  std::vector<std::unique_ptr<Evaluation>> open_evaluations(Objective& objective,
                                                            const TrainConfig& train) override;
  double passes(const Examples& examples) const override {
    return worthwhile_text_passes(examples);
  }
};

}  // namespace yona
