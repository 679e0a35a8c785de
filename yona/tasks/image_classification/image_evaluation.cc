#include "yona/tasks/image_classification/image_evaluation.h"

#include <utility>

#include "yona/base/timing.h"
#include "yona/tasks/classification/class_report.h"

namespace yona {

ImageEvaluation::ImageEvaluation(LabelledImages images, const PatchMaker& patches, const Vit& model,
                                 Backend& backend, std::vector<std::string> figures)
    : images_(std::move(images)),
      patches_(patches),
      runner_(model, backend),
      figures_(std::move(figures)) {}

ValidationReport ImageEvaluation::run(Learner& learner) {
  if (!learner.leads()) {
    return {};
  }
  const Clock::time_point start = Clock::now();
  const auto logits = runner_.class_logits(static_cast<std::size_t>(images_.count()),
                                           [&](std::size_t i, std::vector<float>& patches) {
                                             patches_.append(images_.image(i), {}, patches);
                                           });
  ValidationReport report = class_report(logits, images_.labels, figures_);
  report.set = "valid";
  report.target_tokens = images_.count();
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace yona
