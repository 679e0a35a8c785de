// How BLEU cuts a line into words. The figure depends on it, so the signature names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace yona {

enum class BleuTokenizer : std::uint8_t {
  v13a,       // mteval-v13a.pl, what WMT reports: European punctuation
  intl,       // mteval-v14.pl: punctuation and symbols of all of Unicode
  zh,         // every Chinese character is a word, the rest as 13a
  character,  // every character is a word
  none,       // the text is tokenised already
};

// "13a", "intl", "zh", "char", "none": as in signatures.
std::string name_of(BleuTokenizer tokenizer);
std::vector<std::string> bleu_tokenizer_names();
// Throws InvalidArgument naming those that exist; ja-mecab and other known ones are not among them.
BleuTokenizer bleu_tokenizer(std::string_view name);

// The line with white space between words, more of it than needed in places.
std::u32string tokenize(BleuTokenizer tokenizer, std::u32string_view line);

}  // namespace yona
