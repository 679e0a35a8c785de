// How BLEU, chrF and TER are counted. The defaults are sacreBLEU's.
#pragma once

#include <cstdint>
#include <optional>

namespace yona {

// How BLEU cuts a line into words.
enum class BleuTokenizer : std::uint8_t {
  v13a,       // mteval-v13a.pl, what WMT reports: European punctuation
  intl,       // mteval-v14.pl: punctuation and symbols of all of Unicode
  zh,         // every Chinese character is a word, the rest as 13a
  character,  // every character is a word
  none,       // the text is tokenised already
};

// What happens to an order without a match.
enum class BleuSmoothing : std::uint8_t {
  exp,    // the first such precision is 1/2 of a match, the next 1/4 …: mteval-v13a.pl's
  floor,  // `smooth_value` of a match, 0.1 unless given
  add_k,  // `smooth_value`, 1 unless given, is added to matches and totals of all orders but 1
  none,   // BLEU is 0
};

struct BleuOptions {
  BleuTokenizer tokenizer = BleuTokenizer::v13a;
  bool lowercase = false;
  BleuSmoothing smoothing = BleuSmoothing::exp;
  std::optional<double> smooth_value{};
  int max_order = 4;
  bool effective_order = false;  // orders that a short text has no n-grams of do not count
};

struct ChrfOptions {
  int char_order = 6;
  int word_order = 0;  // 2: chrF++
  int beta = 2;        // recall counts beta times as much as precision
  bool lowercase = false;
  bool whitespace = false;  // white space counts as characters
  // The mean of F-scores by order, as chrF++.py, NLTK and Moses have it.
  bool eps_smoothing = false;
};

struct TerOptions {
  bool normalized = false;      // entities replaced, European punctuation cut off
  bool no_punct = false;        // . , ? : ; ! " ( ) removed
  bool asian_support = false;   // with the two above: the same for Chinese and Japanese
  bool case_sensitive = false;  // otherwise lower case
};

}  // namespace yona
