#include "yona/score/chrf.h"

#include <algorithm>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/score/ngrams.h"
#include "yona/score/unicode.h"

namespace yona {

namespace {

using Symbols = std::vector<std::uint32_t>;

bool is_ascii_mark(char32_t c) {
  return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
         (c >= '{' && c <= '~');
}

// One mark is cut off a word: the last character if it is one, else the first.
std::vector<std::u32string_view> words_and_marks(std::u32string_view text) {
  std::vector<std::u32string_view> parts;
  for (const std::u32string_view word : split(text)) {
    if (word.size() > 1 && is_ascii_mark(word.back())) {
      parts.push_back(word.substr(0, word.size() - 1));
      parts.push_back(word.substr(word.size() - 1));
    } else if (word.size() > 1 && is_ascii_mark(word.front())) {
      parts.push_back(word.substr(0, 1));
      parts.push_back(word.substr(1));
    } else {
      parts.push_back(word);
    }
  }
  return parts;
}

// The [hypothesis, reference, both] of each order, appended.
void append_counts(const Symbols& hypothesis, const Symbols& reference, int max_order,
                   std::vector<double>& counts) {
  NgramCounts ngrams(max_order);
  ngrams.add_reference(reference);
  const auto matches = ngrams.matches(hypothesis);
  for (std::size_t n = 1; n <= matches.size(); ++n) {
    const std::int64_t in_reference = ngram_total(reference.size(), n);
    // An order that the reference has no n-grams of does not count against the hypothesis.
    const std::int64_t in_hypothesis = in_reference == 0 ? 0 : ngram_total(hypothesis.size(), n);
    counts.push_back(static_cast<double>(in_hypothesis));
    counts.push_back(static_cast<double>(in_reference));
    counts.push_back(static_cast<double>(matches[n - 1]));
  }
}

}  // namespace

// A text with its characters and words as numbers.
struct Chrf::Segment {
  Segment(std::string_view utf8, const ChrfOptions& options) : text(to_code_points(utf8)) {
    if (options.lowercase) {
      text = to_lower(text);
    }
    characters.reserve(text.size());
    std::copy_if(text.begin(), text.end(), std::back_inserter(characters),
                 [&](char32_t c) { return options.whitespace || !is_space(c); });
  }

  std::u32string text;
  Symbols characters;
};

Chrf::Chrf(const ChrfOptions& options) : options_(options) {
  const auto is_order = [](int order) { return order >= 0 && order <= 64; };
  check(is_order(options.char_order) && is_order(options.word_order) && orders() > 0,
        "chrF: the orders are {} characters and {} words; expected 0 to 64, and one above 0",
        options.char_order, options.word_order);
  check(options.beta >= 1, "chrF: beta is {}; expected 1 or more", options.beta);
}

std::string Chrf::name() const {
  return fmt::format("chrF{}{}", options_.beta,
                     std::string(static_cast<std::size_t>(options_.word_order), '+'));
}

void Chrf::reduce(std::string_view hypothesis, std::span<const std::string> references,
                  std::span<double> into) const {
  const Segment translated(hypothesis, options_);
  double best = -1.0;
  for (const std::string& reference : references) {
    const Segment expected(reference, options_);
    std::vector<double> counts;
    counts.reserve(width());
    append_counts(translated.characters, expected.characters, options_.char_order, counts);
    if (options_.word_order > 0) {
      WordIds ids;
      const Symbols words = ids(words_and_marks(translated.text));
      append_counts(words, ids(words_and_marks(expected.text)), options_.word_order, counts);
    }
    if (const double f = f_score(counts); f > best) {
      best = f;
      std::copy(counts.begin(), counts.end(), into.begin());
    }
  }
}

// F = (1 + β²) P R / (β² P + R), of the means of P and R over the orders that both texts have; or,
// with smoothing by epsilon, the mean of F over all orders.
double Chrf::f_score(std::span<const double> sums) const {
  constexpr double kEpsilon = 1e-16;
  const double factor = static_cast<double>(options_.beta) * options_.beta;
  double f_sum = 0;
  double precision_sum = 0;
  double recall_sum = 0;
  int effective = 0;
  for (std::size_t i = 0; i < sums.size(); i += 3) {
    const double in_hypothesis = sums[i];
    const double in_reference = sums[i + 1];
    const double precision = in_hypothesis > 0 ? sums[i + 2] / in_hypothesis : kEpsilon;
    const double recall = in_reference > 0 ? sums[i + 2] / in_reference : kEpsilon;
    const double denominator = factor * precision + recall;
    f_sum += denominator > 0 ? (1 + factor) * precision * recall / denominator : kEpsilon;
    if (in_hypothesis > 0 && in_reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      ++effective;
    }
  }
  if (options_.eps_smoothing) {
    return 100 * f_sum / static_cast<double>(orders());
  }
  if (effective == 0 || precision_sum + recall_sum == 0) {
    return 0.0;
  }
  const double precision = precision_sum / effective;
  const double recall = recall_sum / effective;
  return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
}

Score Chrf::score(std::span<const double> sums) const { return {name(), f_score(sums), ""}; }

std::vector<SignaturePart> Chrf::settings() const {
  return {{"case", "c", options_.lowercase ? "lc" : "mixed"},
          {"eff", "e", options_.eps_smoothing ? "no" : "yes"},
          {"nc", "nc", fmt::to_string(options_.char_order)},
          {"nw", "nw", fmt::to_string(options_.word_order)},
          {"space", "s", options_.whitespace ? "yes" : "no"}};
}

}  // namespace yona
