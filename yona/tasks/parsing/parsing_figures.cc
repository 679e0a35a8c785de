#include "yona/tasks/parsing/parsing_figures.h"

#include <cmath>

#include "yona/base/error.h"
#include "yona/score/brackets.h"
#include "yona/trees/tree_text.h"

namespace yona {

std::vector<std::string> parsing_figure_names() { return {"f1", "complete", "tags"}; }

std::vector<ValidationFigure> parsing_figures(const std::vector<std::string>& names,
                                              const std::vector<Tree>& parses,
                                              const std::vector<Tree>& gold) {
  check(parses.size() == gold.size(), "parsing: {} parses for {} gold trees", parses.size(),
        gold.size());
  const Brackets metric;
  std::vector<double> sums(metric.width(), 0.0);
  std::vector<double> one(metric.width());
  for (std::size_t i = 0; i < gold.size(); ++i) {
    const std::string reference = to_brackets(gold[i]);
    metric.reduce(to_brackets(parses[i]), {&reference, 1}, one);
    for (std::size_t n = 0; n < sums.size(); ++n) {
      sums[n] += one[n];
    }
  }
  const BracketTotals totals = all_sentences(sums);
  const auto value_of = [&](const std::string& name) {
    check(name == "f1" || name == "complete" || name == "tags",
          "train.valid_metrics: expected f1, complete or tags, got '{}'", name);
    return name == "f1"         ? totals.f1()
           : name == "complete" ? totals.complete_match()
                                : totals.tagging_accuracy();
  };
  std::vector<ValidationFigure> figures;
  for (const std::string& name : names) {
    const double value = value_of(name);  // f1 is 0/0 where no bracket is right
    figures.push_back({name, std::isnan(value) ? 0.0 : value});
  }
  return figures;
}

}  // namespace yona
