#include "yona/tasks/classification/class_evaluation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "yona/base/timing.h"
#include "yona/score/class_figures.h"

namespace yona {

namespace {

// -log softmax(logits)[label]
double negative_log_likelihood(const std::vector<float>& logits, std::int32_t label) {
  const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const float x : logits) {
    sum += std::exp(static_cast<double>(x) - largest);
  }
  return std::log(sum) + largest - static_cast<double>(logits[static_cast<std::size_t>(label)]);
}

}  // namespace

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

ValidationReport ClassEvaluation::classes(const Vectors& logits) const {
  ValidationReport report;
  std::vector<std::int32_t> predicted;
  double loss = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto best = std::max_element(logits[i].begin(), logits[i].end());
    predicted.push_back(static_cast<std::int32_t>(best - logits[i].begin()));
    loss += negative_log_likelihood(logits[i], labels_[i]);
  }
  report.loss = loss / static_cast<double>(logits.size());
  const auto count = static_cast<std::int64_t>(logits.front().size());
  for (const std::string& name : options_.figures) {
    const double value = name == "accuracy"   ? accuracy(labels_, predicted)
                         : name == "f1"       ? f1_score(labels_, predicted, count)
                         : name == "matthews" ? matthews(labels_, predicted)
                                              : 0.0;
    report.figures.push_back({name, 100.0 * value});
  }
  return report;
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

ValidationReport ClassEvaluation::run(Learner& /*learner*/) {
  const Clock::time_point start = Clock::now();
  const Vectors logits = runner_.class_logits(texts_);
  ValidationReport report =
      options_.problem == Problem::regression ? numbers(logits) : classes(logits);
  report.set = options_.name;
  report.target_tokens = static_cast<std::int64_t>(texts_.size());
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace yona
