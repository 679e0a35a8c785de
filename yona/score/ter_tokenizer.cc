#include "yona/score/ter_tokenizer.h"

#include "yona/score/spacing.h"
#include "yona/score/unicode.h"
#include "yona/score/western.h"

namespace yona {

namespace {

bool is_western_mark(char32_t c) {
  return std::u32string_view(U".,?:;!\"()").find(c) != std::u32string_view::npos;
}

bool is_asian_mark(char32_t c) {
  return c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3011) ||
         (c >= 0x3014 && c <= 0x301F) || (c >= 0xFF61 && c <= 0xFF65) || c == 0x30FB ||
         std::u32string_view(U"．，？：；！＂（）").find(c) != std::u32string_view::npos;
}

// Characters that are words of their own. Kana are not: tercom cuts them at a change of script, but
// sacreBLEU's pattern for it only fits a line of nothing else, without the space that stands at
// every line's front by then.
bool is_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x31C0 && c <= 0x31EF) || (c >= 0x2E80 && c <= 0x2EFF) ||
         (c >= 0x3200 && c <= 0x3F22) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFE30 && c <= 0xFE4F);
}

std::u32string normalize(std::u32string text) {
  replace_all(text, U"\n-", U"");
  replace_all(text, U"\n", U" ");
  replace_entities(text);
  text.insert(text.begin(), U' ');
  text.push_back(U' ');
  text = space_ascii_punctuation(text);
  replace_all(text, U"'s ", U" 's ");
  return space_stops_and_hyphens(text);
}

}  // namespace

std::u32string tokenize_for_ter(const TerOptions& options, std::u32string_view line) {
  std::u32string text = options.case_sensitive ? std::u32string(line) : to_lower(line);
  if (options.normalized) {
    text = normalize(std::move(text));
    if (options.asian_support) {
      text = space_around(text, [](char32_t c) { return is_ideograph(c) || is_asian_mark(c); });
    }
  }
  if (options.no_punct) {
    std::erase_if(text, [&](char32_t c) {
      return is_western_mark(c) || (options.asian_support && is_asian_mark(c));
    });
  }
  return text;
}

}  // namespace yona
