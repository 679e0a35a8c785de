#include "yona/score/brackets.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "yona/base/error.h"

namespace yona {

namespace {

double percent(double part, double whole) { return whole > 0 ? 100.0 * part / whole : 0.0; }

BracketTotals totals_of(std::span<const double> sums) {
  return {sums[0], sums[1], sums[2], sums[3], sums[4],  sums[5],
          sums[6], sums[7], sums[8], sums[9], sums[10], sums[11]};
}

double f1_or_zero(const BracketTotals& totals) {
  return totals.recall() + totals.precision() > 0 ? totals.f1() : 0.0;
}

void add_figures(const BracketTotals& totals, const std::string& prefix, Score& score) {
  const auto add = [&](const char* name, double value, FigureKind kind) {
    score.figures.push_back({prefix + name, value, kind});
  };
  add("f1", f1_or_zero(totals), FigureKind::real);
  add("recall", totals.recall(), FigureKind::real);
  add("precision", totals.precision(), FigureKind::real);
  add("complete_match", totals.complete_match(), FigureKind::real);
  add("average_crossing", totals.average_crossing(), FigureKind::real);
  add("no_crossing", totals.no_crossing_rate(), FigureKind::real);
  add("two_or_less_crossing", totals.two_or_less_rate(), FigureKind::real);
  add("tagging_accuracy", totals.tagging_accuracy(), FigureKind::real);
  add("sentences", totals.sentences, FigureKind::count);
  add("error_sentences", totals.errors, FigureKind::count);
  add("skipped_sentences", totals.skipped, FigureKind::count);
  add("valid_sentences", totals.valid(), FigureKind::count);
  add("gold_brackets", totals.gold, FigureKind::count);
  add("test_brackets", totals.test, FigureKind::count);
  add("matched_brackets", totals.matched, FigureKind::count);
}

}  // namespace

double BracketTotals::recall() const { return percent(matched, gold); }
double BracketTotals::precision() const { return percent(matched, test); }
double BracketTotals::f1() const { return 2 * precision() * recall() / (precision() + recall()); }
double BracketTotals::complete_match() const { return percent(complete, valid()); }
double BracketTotals::average_crossing() const { return valid() > 0 ? crossing / valid() : 0.0; }
double BracketTotals::no_crossing_rate() const { return percent(no_crossing, valid()); }
double BracketTotals::two_or_less_rate() const { return percent(two_or_less, valid()); }
double BracketTotals::tagging_accuracy() const { return percent(correct_tags, words); }

void write_counts(const BracketCounts& counts, std::span<double> into) {
  const auto number = [](auto value) { return static_cast<double>(value); };
  const bool is_valid = counts.status == SentenceStatus::valid;
  std::fill(into.begin(), into.end(), 0.0);
  into[0] = 1;
  into[1] = counts.status == SentenceStatus::error ? 1 : 0;
  into[2] = counts.status == SentenceStatus::skipped ? 1 : 0;
  if (is_valid) {
    const bool is_complete = counts.gold == counts.test && counts.test == counts.matched;
    const std::array<double, 9> counted{
        number(counts.gold),          number(counts.test),     number(counts.matched),
        number(is_complete),          number(counts.crossing), number(counts.crossing == 0),
        number(counts.crossing <= 2), number(counts.words),    number(counts.correct_tags)};
    std::copy(counted.begin(), counted.end(), into.begin() + 3);
  }
  if (counts.length <= kBracketCutoff) {
    std::copy_n(into.begin(), Brackets::kNumbers, into.begin() + Brackets::kNumbers);
  }
}

BracketTotals all_sentences(std::span<const double> sums) { return totals_of(sums); }
BracketTotals short_sentences(std::span<const double> sums) {
  return totals_of(sums.subspan(Brackets::kNumbers));
}

void Brackets::reduce(std::string_view hypothesis, std::span<const std::string> references,
                      std::span<double> into) const {
  check(references.size() == 1, "brackets: there are {} gold trees for a sentence; one is expected",
        references.size());
  write_counts(compare_brackets(hypothesis, references[0]), into);
}

Score Brackets::score(std::span<const double> sums) const {
  const BracketTotals all = all_sentences(sums);
  const BracketTotals few = short_sentences(sums);
  Score score{name(), f1_or_zero(all), ""};
  score.details = fmt::format(
      "(R = {:.2f} P = {:.2f} complete = {:.2f} crossing = {:.2f} none = {:.2f} two or less = "
      "{:.2f} "
      "tags = {:.2f} sentences = {} errors = {} skipped = {}; up to {} words: F1 = {:.2f} R = "
      "{:.2f} "
      "P = {:.2f} sentences = {})",
      all.recall(), all.precision(), all.complete_match(), all.average_crossing(),
      all.no_crossing_rate(), all.two_or_less_rate(), all.tagging_accuracy(), all.sentences,
      all.errors, all.skipped, kBracketCutoff, f1_or_zero(few), few.recall(), few.precision(),
      few.sentences);
  add_figures(all, "", score);
  add_figures(few, fmt::format("len{}_", kBracketCutoff), score);
  return score;
}

std::vector<SignaturePart> Brackets::settings() const {
  return {{"params", "p", "COLLINS"}, {"cutoff", "co", fmt::to_string(kBracketCutoff)}};
}

}  // namespace yona
