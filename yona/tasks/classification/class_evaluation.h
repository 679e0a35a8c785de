// Validation of a classifier: the loss, and what is asked for of accuracy, F1, Matthews' and
// Spearman's correlation, in percent.
#pragma once

#include <string>
#include <vector>

#include "yona/data/labelled_texts.h"
#include "yona/encode/encoder_runner.h"
#include "yona/io/encoder_folder.h"
#include "yona/train/task.h"

namespace yona {

class ClassEvaluation : public Evaluation {
 public:
  struct Options {
    std::string name = "valid";
    Problem problem = Problem::single_label;
    std::vector<std::string> figures{};
  };
  ClassEvaluation(const LabelledExamples& examples, const Bert& model, Backend& backend,
                  Options options);

  ValidationReport run(Learner& learner) override;

 private:
  ValidationReport numbers(const Vectors& logits) const;

  Options options_;
  std::vector<EncodedText> texts_;
  std::vector<std::int32_t> labels_;
  std::vector<double> values_;
  EncoderRunner runner_;
};

}  // namespace yona
