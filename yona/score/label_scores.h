// Scores of predicted labels: accuracy, F1 and Matthews' correlation of classes by name, Spearman's
// of numbers, by the figures of class_figures.h.
#pragma once

#include <string>
#include <vector>

#include "yona/score/metric.h"
#include "yona/score/segments.h"

namespace yona {

// The classes of references and all systems, in the order of ordered_labels().
class LabelScorer {
 public:
  // `positive` is the class whose F1 is taken; "": of two classes the second one, of more the mean
  // over the classes that occur. 0 and 1 are two classes, even where one of them does not occur.
  // Throws InvalidArgument where `positive` occurs nowhere.
  LabelScorer(NamedSegments references, const std::vector<NamedSegments>& systems,
              const std::string& positive = "");

  // `metric` is one of class_figure_names(). A fraction, not a percentage. Spearman's is NaN where
  // one side is constant; it throws FormatError naming file and line for a label that is not a
  // number.
  Score score(const std::string& metric, const NamedSegments& system) const;
  // "average:macro|classes:3|version:yona-0.1.0"
  std::string signature(const std::string& metric, SignatureStyle style) const;

 private:
  std::vector<std::int32_t> ids(const NamedSegments& file) const;

  NamedSegments references_;
  std::vector<std::string> classes_;
  std::optional<std::int32_t> positive_;  // nothing: macro
};

}  // namespace yona
