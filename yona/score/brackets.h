// Labelled brackets of constituency trees, with EVALB's figures under COLLINS.prm in every digit:
// recall, precision, F1, complete match, crossing brackets and tagging accuracy, over all sentences
// and over those of at most 40 words. The score is F1 over all sentences.
//
// Error sentences (the parser changed the words) and skipped ones (it gave none) are counted and
// left out of the figures, as EVALB does; EVALB stops after a number of errors, this does not.
#pragma once

#include <array>

#include "yona/score/bracket_match.h"
#include "yona/score/metric.h"

namespace yona {

inline constexpr std::int64_t kBracketCutoff = 40;

// Sums over sentences, and what they give.
struct BracketTotals {
  double sentences = 0, errors = 0, skipped = 0;
  double gold = 0, test = 0, matched = 0;
  double complete = 0, crossing = 0, no_crossing = 0, two_or_less = 0;
  double words = 0, correct_tags = 0;

  double valid() const { return sentences - errors - skipped; }
  double recall() const;
  double precision() const;
  double f1() const;  // NaN where recall and precision are 0, as in EVALB
  double complete_match() const;
  double average_crossing() const;
  double no_crossing_rate() const;
  double two_or_less_rate() const;
  double tagging_accuracy() const;
};

class Brackets final : public Metric {
 public:
  static constexpr std::size_t kNumbers = 12;  // of BracketTotals

  std::string name() const override { return "Brackets"; }
  // The numbers of BracketTotals, for all sentences and for short ones.
  std::size_t width() const override { return 2 * kNumbers; }
  // Trees on one line each; one reference. Throws InvalidArgument for several.
  void reduce(std::string_view hypothesis, std::span<const std::string> references,
              std::span<double> into) const override;
  Score score(std::span<const double> sums) const override;
  std::vector<SignaturePart> settings() const override;
};

// The numbers of one sentence, as reduce() writes them; and sums of them with names.
void write_counts(const BracketCounts& counts, std::span<double> into);
BracketTotals all_sentences(std::span<const double> sums);
BracketTotals short_sentences(std::span<const double> sums);

}  // namespace yona
