// BLEU (Papineni et al. 2002): the geometric mean of n-gram precisions, times a penalty for being
// shorter than the reference. Smoothing as in Chen and Cherry 2014.
#pragma once

#include "yona/score/bleu_tokenizer.h"
#include "yona/score/metric.h"
#include "yona/score/metric_options.h"

namespace yona {

std::vector<std::string> bleu_smoothing_names();  // "exp", "floor", "add-k", "none"
std::string name_of(BleuSmoothing smoothing);

struct BleuParts {
  double score = 0.0;              // 0 to 100
  std::vector<double> precisions;  // 0 to 100, by order, smoothed
  double brevity_penalty = 0.0;
  std::int64_t hypothesis_length = 0, reference_length = 0;  // words
};

class Bleu final : public Metric {
 public:
  // Throws InvalidArgument for an order that is not from 1 to 64, or a negative smooth_value.
  explicit Bleu(const BleuOptions& options = {});

  std::string name() const override { return "BLEU"; }
  // Length of the hypothesis and of the reference closest to it; matches; totals.
  std::size_t width() const override {
    return 2 + 2 * static_cast<std::size_t>(options_.max_order);
  }
  void reduce(std::string_view hypothesis, std::span<const std::string> references,
              std::span<double> into) const override;
  Score score(std::span<const double> sums) const override;
  std::vector<SignaturePart> settings() const override;

  BleuParts parts(std::span<const double> sums) const;

 private:
  std::u32string prepare(std::string_view segment) const;

  BleuOptions options_;
};

}  // namespace yona
