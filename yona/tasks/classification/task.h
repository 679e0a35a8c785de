// Classification as a task: labelled texts, a BERT with a classification head, accuracy.
#pragma once

#include "yona/data/labelled_texts.h"
#include "yona/tasks/encoder/encoder_task.h"

namespace yona {

class ClassificationTask : public EncoderTask {
 public:
  // Reads the files. Throws FormatError as read_labelled_texts() and LabelSet do.
  ClassificationTask(RunConfig config, const RunPlace& place);

  std::unique_ptr<Objective> make_objective() const override;
  std::shared_ptr<const Examples> open_training() override;
  std::vector<std::unique_ptr<Evaluation>> open_evaluations(Objective& objective,
                                                            const TrainConfig& train) override;
  // Fine-tuning takes few (Devlin et al. 2019, §A.3: two to four); a new model more.
  double passes(const Examples& examples) const override;

 private:
  void report_cut(const LabelledExamples& examples, const std::string& name) const;

  std::vector<LabelledFile> files_;
  LabelSet labels_;
};

void check_classification_start(const RunConfig& config, const std::filesystem::path& init);

}  // namespace yona
