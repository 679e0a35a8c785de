#include "yona/score/evalb_report.h"

#include <vector>

#include <fmt/format.h>

#include "yona/score/brackets.h"

namespace yona {

namespace {

constexpr std::string_view kRule =
    "============================================================================\n";
constexpr std::string_view kHead =
    "  Sent.                        Matched  Bracket   Cross        Correct Tag\n"
    " ID  Len.  Stat. Recal  Prec.  Bracket gold test Bracket Words  Tags Accracy\n";

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string sentence_line(std::size_t number, const BracketCounts& counts) {
  return fmt::format(
      "{:4}  {:3}    {}  {:6.2f} {:6.2f}   {:3}    {:3}  {:3}    {:3}   {:4}  {:4}   {:6.2f}\n",
      number, counts.length, static_cast<int>(counts.status), share(counts.matched, counts.gold),
      share(counts.matched, counts.test), counts.matched, counts.gold, counts.test, counts.crossing,
      counts.words, counts.correct_tags, share(counts.correct_tags, counts.words));
}

std::string totals_line(const BracketTotals& totals) {
  std::string line;
  if (totals.gold > 0 && totals.test > 0) {
    line = fmt::format("                {:6.2f} {:6.2f} {:6.0f} {:5.0f} {:5.0f}  {:5.0f}",
                       totals.recall(), totals.precision(), totals.matched, totals.gold,
                       totals.test, totals.crossing);
  }
  return line + fmt::format("  {:5.0f} {:5.0f}   {:6.2f}\n", totals.words, totals.correct_tags,
                            totals.tagging_accuracy());
}

std::string summary(const BracketTotals& totals) {
  return fmt::format(
      "Number of sentence        = {:6.0f}\n"
      "Number of Error sentence  = {:6.0f}\n"
      "Number of Skip  sentence  = {:6.0f}\n"
      "Number of Valid sentence  = {:6.0f}\n"
      "Bracketing Recall         = {:6.2f}\n"
      "Bracketing Precision      = {:6.2f}\n"
      "Bracketing FMeasure       = {:>6.2f}\n"
      "Complete match            = {:6.2f}\n"
      "Average crossing          = {:6.2f}\n"
      "No crossing               = {:6.2f}\n"
      "2 or less crossing        = {:6.2f}\n"
      "Tagging accuracy          = {:6.2f}\n",
      totals.sentences, totals.errors, totals.skipped, totals.valid(), totals.recall(),
      totals.precision(), totals.f1(), totals.complete_match(), totals.average_crossing(),
      totals.no_crossing_rate(), totals.two_or_less_rate(), totals.tagging_accuracy());
}

}  // namespace

std::string evalb_report(std::span<const BracketCounts> sentences) {
  const Brackets metric;
  SegmentStatistics statistics(sentences.size(), metric.width());
  std::string text = std::string(kHead) + std::string(kRule);
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    text += sentence_line(i + 1, sentences[i]);
    write_counts(sentences[i], statistics[i]);
  }
  const std::vector<double> sums = statistics.sums();
  text += kRule;
  text += totals_line(all_sentences(sums)) + "=== Summary ===\n";
  text += "\n-- All --\n" + summary(all_sentences(sums));
  text += fmt::format("\n-- len<={} --\n", kBracketCutoff) + summary(short_sentences(sums));
  return text;
}

}  // namespace yona
