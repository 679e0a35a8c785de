// TER (Snover et al. 2006): edits over words of the reference, in percent; lower is better. As
// tercom 0.7.25, in sacreBLEU's version of it.
#pragma once

#include "yona/score/metric.h"
#include "yona/score/ter_tokenizer.h"

namespace yona {

class Ter final : public Metric {
 public:
  explicit Ter(const TerOptions& options = {}) : options_(options) {}

  std::string name() const override { return "TER"; }
  bool higher_is_better() const override { return false; }
  // Edits to the closest reference; mean length of the references.
  std::size_t width() const override { return 2; }
  void reduce(std::string_view hypothesis, std::span<const std::string> references,
              std::span<double> into) const override;
  Score score(std::span<const double> sums) const override;
  std::vector<SignaturePart> settings() const override;

 private:
  std::u32string prepare(std::string_view segment) const;
  std::u32string prepare_reference(std::string_view segment) const;

  TerOptions options_;
};

}  // namespace yona
