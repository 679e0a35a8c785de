#include "yona/score/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "yona/base/error.h"
#include "yona/score/ngrams.h"
#include "yona/score/unicode.h"

namespace yona {

namespace {

constexpr std::array kSmoothings{"exp", "floor", "add-k", "none"};

double smooth_value(const BleuOptions& options) {
  return options.smooth_value.value_or(options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0);
}

// Of equally close ones the shortest.
std::size_t closest_length(std::size_t length, const std::vector<std::size_t>& references) {
  const auto distance = [length](std::size_t other) {
    return other > length ? other - length : length - other;
  };
  return *std::min_element(references.begin(), references.end(), [&](auto a, auto b) {
    return distance(a) != distance(b) ? distance(a) < distance(b) : a < b;
  });
}

double brevity_penalty(std::int64_t hypothesis, std::int64_t reference) {
  if (hypothesis >= reference) {
    return 1.0;
  }
  return hypothesis == 0
             ? 0.0
             : std::exp(1 - static_cast<double>(reference) / static_cast<double>(hypothesis));
}

double floored_log(double value) { return value == 0.0 ? -9999999999.0 : std::log(value); }

// Fills in the precisions and gives the number of orders that count.
int smoothed_precisions(const BleuOptions& options, std::span<const double> matches,
                        std::span<const double> totals, std::vector<double>& precisions) {
  int order = options.max_order;
  double halvings = 1.0;
  for (std::size_t n = 0; n < precisions.size(); ++n) {
    const double added =
        options.smoothing == BleuSmoothing::add_k && n > 0 ? smooth_value(options) : 0.0;
    const double matched = matches[n] + added;
    const double total = totals[n] + added;
    if (total == 0) {
      break;
    }
    if (options.effective_order) {
      order = static_cast<int>(n) + 1;
    }
    if (matched != 0) {
      precisions[n] = 100.0 * matched / total;
    } else if (options.smoothing == BleuSmoothing::exp) {
      halvings *= 2;
      precisions[n] = 100.0 / (halvings * total);
    } else if (options.smoothing == BleuSmoothing::floor) {
      precisions[n] = 100.0 * smooth_value(options) / total;
    }
  }
  return order;
}

}  // namespace

std::vector<std::string> bleu_smoothing_names() { return {kSmoothings.begin(), kSmoothings.end()}; }

std::string name_of(BleuSmoothing smoothing) {
  return kSmoothings.at(static_cast<std::size_t>(smoothing));
}

Bleu::Bleu(const BleuOptions& options) : options_(options) {
  check(options.max_order >= 1 && options.max_order <= 64,
        "BLEU: the n-gram order is {}; expected 1 to 64", options.max_order);
  check(
      !options.smooth_value || (*options.smooth_value >= 0 && std::isfinite(*options.smooth_value)),
      "BLEU: the smoothing value is {}; expected a number of at least 0",
      options.smooth_value.value_or(0));
}

std::u32string Bleu::prepare(std::string_view segment) const {
  std::u32string text = to_code_points(segment);
  if (options_.lowercase) {
    text = to_lower(text);
  }
  return tokenize(options_.tokenizer, strip_right(text));
}

void Bleu::reduce(std::string_view hypothesis, std::span<const std::string> references,
                  std::span<double> into) const {
  std::vector<std::u32string> texts;  // kept, as words point into them
  texts.reserve(references.size() + 1);
  WordIds ids;
  NgramCounts counts(options_.max_order);
  std::vector<std::size_t> lengths;
  for (const std::string& reference : references) {
    const auto words = ids(split(texts.emplace_back(prepare(reference))));
    lengths.push_back(words.size());
    counts.add_reference(words);
  }
  const auto words = ids(split(texts.emplace_back(prepare(hypothesis))));
  const auto matches = counts.matches(words);
  into[0] = static_cast<double>(words.size());
  into[1] = static_cast<double>(closest_length(words.size(), lengths));
  for (std::size_t n = 0; n < matches.size(); ++n) {
    into[2 + n] = static_cast<double>(matches[n]);
    into[2 + matches.size() + n] = static_cast<double>(ngram_total(words.size(), n + 1));
  }
}

// BLEU = BP · exp(mean over n of log p_n)
BleuParts Bleu::parts(std::span<const double> sums) const {
  const auto orders = static_cast<std::size_t>(options_.max_order);
  const auto matches = sums.subspan(2, orders);
  BleuParts parts;
  parts.hypothesis_length = static_cast<std::int64_t>(sums[0]);
  parts.reference_length = static_cast<std::int64_t>(sums[1]);
  parts.brevity_penalty = brevity_penalty(parts.hypothesis_length, parts.reference_length);
  parts.precisions.resize(orders);
  if (std::all_of(matches.begin(), matches.end(), [](double count) { return count == 0; })) {
    return parts;
  }
  const int order =
      smoothed_precisions(options_, matches, sums.subspan(2 + orders), parts.precisions);
  double logs = 0;
  for (int n = 0; n < order; ++n) {
    logs += floored_log(parts.precisions[static_cast<std::size_t>(n)]);
  }
  parts.score = parts.brevity_penalty * std::exp(logs / order);
  return parts;
}

Score Bleu::score(std::span<const double> sums) const {
  const BleuParts parts = this->parts(sums);
  std::string precisions;
  for (const double precision : parts.precisions) {
    precisions += fmt::format("{}{:.1f}", precisions.empty() ? "" : "/", precision);
  }
  const double ratio = parts.reference_length == 0
                           ? 0
                           : static_cast<double>(parts.hypothesis_length) /
                                 static_cast<double>(parts.reference_length);
  return {
      name(), parts.score,
      fmt::format("{} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", precisions,
                  parts.brevity_penalty, ratio, parts.hypothesis_length, parts.reference_length)};
}

std::vector<SignaturePart> Bleu::settings() const {
  std::string smoothing = name_of(options_.smoothing);
  if (options_.smoothing == BleuSmoothing::floor || options_.smoothing == BleuSmoothing::add_k) {
    smoothing += fmt::format("[{:.2f}]", smooth_value(options_));
  }
  return {{"case", "c", options_.lowercase ? "lc" : "mixed"},
          {"eff", "e", options_.effective_order ? "yes" : "no"},
          {"tok", "tok", name_of(options_.tokenizer)},
          {"smooth", "s", smoothing}};
}

}  // namespace yona
