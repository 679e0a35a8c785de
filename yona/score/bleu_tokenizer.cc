// Follows sacreBLEU 2.6, its oddities included: scores are compared across papers by these rules.

#include "yona/score/bleu_tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "yona/base/error.h"
#include "yona/score/spacing.h"
#include "yona/score/unicode.h"
#include "yona/score/western.h"

namespace yona {

namespace {

constexpr std::array kTokenizerNames{
    std::pair{BleuTokenizer::v13a, "13a"}, std::pair{BleuTokenizer::intl, "intl"},
    std::pair{BleuTokenizer::zh, "zh"}, std::pair{BleuTokenizer::character, "char"},
    std::pair{BleuTokenizer::none, "none"}};

std::u32string tokenize_western(std::u32string_view text) {
  return space_stops_and_hyphens(space_ascii_punctuation(text));
}

std::u32string tokenize_13a(std::u32string_view line) {
  std::u32string text(line);
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  replace_all(text, U"\n", U" ");
  replace_entities(text);
  text.insert(text.begin(), U' ');
  text.push_back(U' ');
  return tokenize_western(text);
}

std::u32string tokenize_intl(std::u32string_view line) {
  const auto is_no_number = [](char32_t c) { return !is_number(c); };
  std::u32string text = space_around_second(line, is_no_number, is_punctuation);
  text = space_around_first(text, is_punctuation, is_no_number);
  return space_around(text, is_symbol);
}

// Planes above the first were meant where the list says 2001–2A6D and 2F81–2FA1, but four-digit
// escapes made these of them; so general punctuation counts as Chinese, and 𠀀 does not.
bool is_chinese(char32_t c) {
  constexpr std::array<std::pair<char32_t, char32_t>, 21> kRanges{
      {{0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A}, {0xFA70, 0xFAD9},
       {0x2001, 0x2A6D}, {0x2F81, 0x2FA1}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF}, {0x3000, 0x303F},
       {0x31C0, 0x31EF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x2FFF}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
       {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0x2600, 0x26FF}, {0x2700, 0x27BF}, {0x3200, 0x32FF},
       {0x3300, 0x33FF}}};
  return c >= 0x2001 && std::any_of(kRanges.begin(), kRanges.end(), [c](const auto& range) {
           return c >= range.first && c <= range.second;
         });
}

std::u32string tokenize_zh(std::u32string_view line) {
  return tokenize_western(space_around(strip(line), is_chinese));
}

std::u32string tokenize_characters(std::u32string_view line) {
  return space_around(line, [](char32_t) { return true; });
}

}  // namespace

std::string name_of(BleuTokenizer tokenizer) {
  return kTokenizerNames.at(static_cast<std::size_t>(tokenizer)).second;
}

std::vector<std::string> bleu_tokenizer_names() {
  std::vector<std::string> names;
  names.reserve(kTokenizerNames.size());
  for (const auto& [tokenizer, name] : kTokenizerNames) {
    names.emplace_back(name);
  }
  return names;
}

BleuTokenizer bleu_tokenizer(std::string_view name) {
  for (const auto& [tokenizer, known] : kTokenizerNames) {
    if (name == known) {
      return tokenizer;
    }
  }
  fail("'{}' is not a tokeniser of BLEU here; there are {}{}", name,
       fmt::join(bleu_tokenizer_names(), ", "),
       name.starts_with("ja") || name.starts_with("ko")
           ? ": char suits Japanese and Korean, or tokenise beforehand and take none"
           : "");
}

std::u32string tokenize(BleuTokenizer tokenizer, std::u32string_view line) {
  switch (tokenizer) {
    case BleuTokenizer::v13a:
      return tokenize_13a(line);
    case BleuTokenizer::intl:
      return tokenize_intl(line);
    case BleuTokenizer::zh:
      return tokenize_zh(line);
    case BleuTokenizer::character:
      return tokenize_characters(line);
    case BleuTokenizer::none:
      break;
  }
  return std::u32string(line);
}

}  // namespace yona
