#include "yona/score/label_scores.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/data/labelled_texts.h"
#include "yona/score/class_figures.h"

namespace yona {

namespace {

std::vector<double> label_numbers(const NamedSegments& file) {
  std::vector<double> numbers;
  numbers.reserve(file.lines.size());
  for (const std::string& line : file.lines) {
    const std::optional<double> number = label_number(line);
    check<FormatError>(number.has_value(),
                       "{}: label {} is '{}', not a number; spearman compares numbers", file.name,
                       numbers.size() + 1, line);
    numbers.push_back(*number);
  }
  return numbers;
}

std::string title_of(const std::string& metric) {
  return metric == "accuracy"   ? "Accuracy"
         : metric == "f1"       ? "F1"
         : metric == "matthews" ? "Matthews"
                                : "Spearman";
}

}  // namespace

LabelScorer::LabelScorer(NamedSegments references, const std::vector<NamedSegments>& systems,
                         const std::string& positive)
    : references_(std::move(references)) {
  std::set<std::string> labels(references_.lines.begin(), references_.lines.end());
  for (const NamedSegments& system : systems) {
    labels.insert(system.lines.begin(), system.lines.end());
  }
  if (std::all_of(labels.begin(), labels.end(),
                  [](const auto& label) { return label == "0" || label == "1"; })) {
    labels.insert({"0", "1"});
  }
  classes_ = ordered_labels(labels);
  if (!positive.empty()) {
    const auto found = std::find(classes_.begin(), classes_.end(), positive);
    check(found != classes_.end(), "--positive: no label is '{}'; there are {}", positive,
          fmt::join(classes_.begin(),
                    classes_.begin() +
                        static_cast<std::ptrdiff_t>(std::min<std::size_t>(classes_.size(), 8)),
                    ", "));
    positive_ = static_cast<std::int32_t>(found - classes_.begin());
  } else if (classes_.size() == 2) {
    positive_ = 1;
  }
}

std::vector<std::int32_t> LabelScorer::ids(const NamedSegments& file) const {
  std::map<std::string_view, std::int32_t> numbers;
  for (const std::string& name : classes_) {
    numbers.emplace(name, static_cast<std::int32_t>(numbers.size()));
  }
  std::vector<std::int32_t> result;
  result.reserve(file.lines.size());
  for (const std::string& line : file.lines) {
    result.push_back(numbers.at(line));
  }
  return result;
}

Score LabelScorer::score(const std::string& metric, const NamedSegments& system) const {
  Score score{title_of(metric), 0.0, ""};
  if (metric == "spearman") {
    score.value = spearman(label_numbers(references_), label_numbers(system));
    return score;
  }
  const std::vector<std::int32_t> expected = ids(references_);
  const std::vector<std::int32_t> predicted = ids(system);
  if (metric == "accuracy") {
    score.value = accuracy(expected, predicted);
  } else if (metric == "f1") {
    score.value =
        positive_ ? f1_of_class(expected, predicted, *positive_) : macro_f1(expected, predicted);
  } else {
    score.value = matthews(expected, predicted);
  }
  return score;
}

std::string LabelScorer::signature(const std::string& metric, SignatureStyle style) const {
  std::vector<SignaturePart> parts;
  if (metric == "f1") {
    parts.push_back({"average", "a", positive_ ? "binary" : "macro"});
    if (positive_) {
      parts.push_back({"positive", "p", classes_[static_cast<std::size_t>(*positive_)]});
    }
  }
  if (metric != "spearman") {
    parts.push_back({"classes", "c", fmt::to_string(classes_.size())});
  }
  return signature_text(std::move(parts), style);
}

}  // namespace yona
