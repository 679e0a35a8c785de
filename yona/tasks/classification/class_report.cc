#include "yona/tasks/classification/class_report.h"

#include <algorithm>
#include <cmath>

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

ValidationReport class_report(const std::vector<std::vector<float>>& logits,
                              std::span<const std::int32_t> labels,
                              const std::vector<std::string>& figures) {
  ValidationReport report;
  std::vector<std::int32_t> predicted;
  predicted.reserve(logits.size());
  double loss = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto best = std::max_element(logits[i].begin(), logits[i].end());
    predicted.push_back(static_cast<std::int32_t>(best - logits[i].begin()));
    loss += negative_log_likelihood(logits[i], labels[i]);
  }
  report.loss = loss / static_cast<double>(logits.size());
  const auto count = static_cast<std::int64_t>(logits.front().size());
  for (const std::string& name : figures) {
    const double value = name == "accuracy"   ? accuracy(labels, predicted)
                         : name == "f1"       ? f1_score(labels, predicted, count)
                         : name == "matthews" ? matthews(labels, predicted)
                                              : 0.0;
    report.figures.push_back({name, 100.0 * value});
  }
  return report;
}

}  // namespace yona
