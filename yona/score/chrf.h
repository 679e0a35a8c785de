// chrF and chrF++ (Popović 2015, 2017): the F-score of character n-grams, and of word n-grams
// besides when word_order is 1 or 2.
#pragma once

#include "yona/score/metric.h"
#include "yona/score/metric_options.h"

namespace yona {

class Chrf final : public Metric {
 public:
  // Throws InvalidArgument for orders outside 0 to 64 that are not both 0, or a beta below 1.
  explicit Chrf(const ChrfOptions& options = {});

  std::string name() const override;  // "chrF2", "chrF2++"
  // n-grams of hypothesis, reference and both, for each order: characters, then words.
  std::size_t width() const override { return 3 * orders(); }
  // Of several references the one with the best score counts, the first of equals.
  void reduce(std::string_view hypothesis, std::span<const std::string> references,
              std::span<double> into) const override;
  Score score(std::span<const double> sums) const override;
  std::vector<SignaturePart> settings() const override;

 private:
  struct Segment;
  std::size_t orders() const {
    return static_cast<std::size_t>(options_.char_order) +
           static_cast<std::size_t>(options_.word_order);
  }
  double f_score(std::span<const double> sums) const;

  ChrfOptions options_;
};

}  // namespace yona
