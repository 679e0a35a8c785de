#include "yona/tasks/classification/class_evaluation.h"

#include <numeric>

#include "yona/base/timing.h"
#include "yona/score/class_figures.h"
#include "yona/tasks/classification/class_report.h"

namespace yona {

ClassEvaluation::ClassEvaluation(const LabelledExamples& examples, const Bert& model,
                                 Backend& backend, Options options)
    : options_(std::move(options)), runner_(model, backend) {
  std::vector<std::uint32_t> all(examples.count());
  std::iota(all.begin(), all.end(), 0U);
  Batch batch;
  examples.fill(all, 0, {}, batch);
  const Side& text = batch.sides[kText];
  const Side& types = batch.sides[kTypes];
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(text.offsets[i]);
    const auto end = static_cast<std::ptrdiff_t>(text.offsets[i + 1]);
    texts_.push_back({{text.ids.begin() + begin, text.ids.begin() + end},
                      {types.ids.begin() + begin, types.ids.begin() + end}});
  }
  labels_ = batch.sides[kLabel].ids;
  values_.assign(batch.sides[kLabel].values.begin(), batch.sides[kLabel].values.end());
}

ValidationReport ClassEvaluation::numbers(const Vectors& logits) const {
  ValidationReport report;
  std::vector<double> predicted;
  double loss = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    predicted.push_back(static_cast<double>(logits[i].front()));
    loss += (predicted[i] - values_[i]) * (predicted[i] - values_[i]);
  }
  report.loss = loss / static_cast<double>(logits.size());
  for (const std::string& name : options_.figures) {
    report.figures.push_back({name, 100.0 * spearman(values_, predicted)});
  }
  return report;
}

ValidationReport ClassEvaluation::run(Learner& learner) {
  if (!learner.leads()) {
    return {};
  }
  const Clock::time_point start = Clock::now();
  const Vectors logits = runner_.class_logits(texts_);
  ValidationReport report = options_.problem == Problem::regression
                                ? numbers(logits)
                                : class_report(logits, labels_, options_.figures);
  report.set = options_.name;
  report.predictions = static_cast<std::int64_t>(texts_.size());
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace yona
