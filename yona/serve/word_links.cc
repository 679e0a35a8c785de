#include "yona/serve/word_links.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "yona/text/utf8.h"

namespace yona::serve {

namespace {

enum class Kind : std::uint8_t { blank, letter, sign, alone };

Kind kind_of(char32_t c) {
  if (c < 0x80) {
    const int ascii = static_cast<int>(c);
    return std::isspace(ascii) != 0   ? Kind::blank
           : std::ispunct(ascii) != 0 ? Kind::sign
                                      : Kind::letter;
  }
  const bool is_unspaced = (c >= 0x0E00 && c <= 0x0EFF) ||  // Thai, Lao
                           (c >= 0x1000 && c <= 0x109F) ||  // Burmese
                           (c >= 0x1780 && c <= 0x17FF) ||  // Khmer
                           (c >= 0x2E80 && c <= 0x9FFF) ||  // Chinese, Japanese and their signs
                           (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
                           c >= 0x20000;
  const bool is_sign = c >= 0x2010 && c <= 0x205E;  // dashes and quotation marks
  return is_unspaced ? Kind::alone : is_sign ? Kind::sign : Kind::letter;
}

// How many bytes of text a piece writes.
std::size_t written(const std::string& piece) {
  constexpr std::string_view kSpace = "▁";
  if (piece == "</s>") {
    return 0;
  }
  if (piece.size() == 6 && piece.starts_with("<0x") && piece.back() == '>') {  // <0xE4>
    return 1;
  }
  std::size_t size = piece.size();
  for (std::size_t at = piece.find(kSpace); at != piece.npos;
       at = piece.find(kSpace, at + kSpace.size())) {
    size -= kSpace.size() - 1;
  }
  return size;
}

// Where each token's text ends. A leading space is written by no text; where the pieces otherwise
// write something else than the text, as normalisation may make it, they share it in proportion.
std::vector<std::size_t> token_ends(const std::vector<std::string>& tokens, std::size_t bytes) {
  std::vector<std::size_t> ends;
  std::size_t sum = 0;
  for (const std::string& token : tokens) {
    sum += written(token);
    ends.push_back(sum);
  }
  const std::size_t lead = sum == bytes + 1 ? 1 : 0;
  for (std::size_t& end : ends) {
    end = sum == bytes + lead ? end - std::min(lead, end)
                              : end * bytes / std::max<std::size_t>(sum, 1);
  }
  return ends;
}

}  // namespace

std::vector<WordLink> words_of(std::string_view text) {
  std::vector<WordLink> words;
  Kind before = Kind::blank;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t length = utf8_length(rest);
    const Kind kind = kind_of(utf8_character(rest));
    if (kind == Kind::letter && before == Kind::letter) {
      words.back().end = at + length;
    } else if (kind != Kind::blank) {
      words.push_back({at, at + length});
    }
    before = kind;
    at += length;
  }
  return words;
}

std::vector<WordLink> word_links(std::string_view source,
                                 const std::vector<std::string>& source_tokens,
                                 const HypothesisText& hypothesis) {
  std::vector<WordLink> words = words_of(hypothesis.text);
  const std::vector<std::size_t> source_ends = token_ends(source_tokens, source.size());
  const std::vector<std::size_t> ends = token_ends(hypothesis.tokens, hypothesis.text.size());
  for (const auto& [from, to] : hypothesis.alignment) {
    if (from >= source_ends.size() || to >= ends.size() || source_ends[from] == 0 ||
        ends[to] == 0) {
      continue;
    }
    const std::size_t end = ends[to];
    const auto word = std::find_if(words.begin(), words.end(),
                                   [&](const WordLink& one) { return one.end >= end; });
    if (word != words.end() && word->source == WordLink::kNowhere) {
      word->source = source_ends[from] - 1;
    }
  }
  if (hypothesis.alignment.empty()) {
    for (WordLink& word : words) {
      word.source = word.begin * source.size() / std::max<std::size_t>(hypothesis.text.size(), 1);
    }
  }
  return words;
}

}  // namespace yona::serve
