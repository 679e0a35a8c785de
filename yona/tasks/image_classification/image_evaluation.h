// Validation of an image classifier: the loss, and what is asked for of accuracy, F1 and Matthews'
// correlation, in percent.
#pragma once

#include <string>
#include <vector>

#include "yona/data/images/patches.h"
#include "yona/encode/image_runner.h"
#include "yona/train/task.h"

namespace yona {

class ImageEvaluation : public Evaluation {
 public:
  ImageEvaluation(LabelledImages images, const PatchMaker& patches, const Vit& model,
                  Backend& backend, std::vector<std::string> figures);

  ValidationReport run(Learner& learner) override;

 private:
  LabelledImages images_;
  PatchMaker patches_;
  Backend& backend_;
  ImageRunner runner_;
  std::vector<std::string> figures_;
};

}  // namespace yona
