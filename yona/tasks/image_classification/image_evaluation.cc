#include "yona/tasks/image_classification/image_evaluation.h"

#include <algorithm>
#include <utility>

#include "yona/base/timing.h"
#include "yona/data/images/late_pictures.h"
#include "yona/tasks/classification/class_report.h"

namespace yona {

namespace {

constexpr std::size_t kReadAtOnce = 64;  // pictures

}  // namespace

ImageEvaluation::ImageEvaluation(LabelledImages images, const PatchMaker& patches, const Vit& model,
                                 Backend& backend, std::vector<std::string> figures)
    : images_(std::move(images)),
      patches_(patches),
      backend_(backend),
      runner_(model, backend),
      figures_(std::move(figures)) {}

ValidationReport ImageEvaluation::run(Learner& learner) {
  if (!learner.leads()) {
    return {};
  }
  const Clock::time_point start = Clock::now();
  const auto count = static_cast<std::size_t>(images_.count());
  PictureBatch ahead(images_.shape, backend_.exec().pool);
  const auto logits = runner_.class_logits(count, [&](std::size_t i, std::vector<float>& patches) {
    if (i % kReadAtOnce == 0) {
      ahead.clear();
      for (std::size_t image = i; image < std::min(count, i + kReadAtOnce); ++image) {
        ahead.add(images_, image);
      }
      ahead.read();
    }
    patches_.append(ahead.pixels(i % kReadAtOnce), {}, patches);
  });
  ValidationReport report = class_report(logits, images_.labels, figures_);
  report.set = "valid";
  report.predictions = images_.count();
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace yona
