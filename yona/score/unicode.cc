#include "yona/score/unicode.h"

#include <algorithm>
#include <cstdint>

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include "yona/base/error.h"

namespace yona {

namespace {

bool has_category(char32_t c, std::uint32_t mask) {
  return (U_GET_GC_MASK(static_cast<UChar32>(c)) & mask) != 0;
}

bool is_ascii(char32_t c) { return c < 0x80; }

}  // namespace

std::u32string to_code_points(std::string_view utf8) {
  std::u32string text;
  text.reserve(utf8.size());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(utf8.data());
  const auto size = static_cast<std::int64_t>(utf8.size());
  for (std::int64_t at = 0; at < size;) {
    const std::int64_t begin = at;
    UChar32 c = 0;
    U8_NEXT(bytes, at, size, c);
    check<FormatError>(c >= 0, "score: the text is not valid UTF-8 at byte {}", begin);
    text.push_back(static_cast<char32_t>(c));
  }
  return text;
}

std::string to_utf8(std::u32string_view text) {
  std::string utf8;
  utf8.reserve(text.size());
  for (const char32_t c : text) {
    std::uint8_t bytes[U8_MAX_LENGTH];
    int size = 0;
    U8_APPEND_UNSAFE(bytes, size, c);
    utf8.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  return utf8;
}

bool is_space(char32_t c) {
  if (is_ascii(c)) {
    return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  }
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

std::u32string_view strip_right(std::u32string_view text) {
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::u32string_view strip(std::u32string_view text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_space);
  return strip_right(text.substr(static_cast<std::size_t>(first - text.begin())));
}

std::vector<std::u32string_view> split(std::u32string_view text) {
  std::vector<std::u32string_view> words;
  const char32_t* at = text.data();
  const char32_t* const end = at + text.size();
  while ((at = std::find_if_not(at, end, is_space)) != end) {
    const char32_t* const after = std::find_if(at, end, is_space);
    words.emplace_back(at, static_cast<std::size_t>(after - at));
    at = after;
  }
  return words;
}

std::u32string to_lower(std::u32string_view text) {
  std::u32string lowered(text);
  if (std::all_of(text.begin(), text.end(), is_ascii)) {
    for (char32_t& c : lowered) {
      c += c >= 'A' && c <= 'Z' ? 'a' - 'A' : 0;
    }
    return lowered;
  }
  auto mapped = icu::UnicodeString::fromUTF32(reinterpret_cast<const UChar32*>(text.data()),
                                              static_cast<std::int32_t>(text.size()));
  mapped.toLower(icu::Locale::getRoot());
  lowered.resize(static_cast<std::size_t>(mapped.countChar32()));
  UErrorCode error = U_ZERO_ERROR;
  mapped.toUTF32(reinterpret_cast<UChar32*>(lowered.data()),
                 static_cast<std::int32_t>(lowered.size()), error);
  return lowered;
}

bool is_number(char32_t c) { return has_category(c, U_GC_N_MASK); }

bool is_punctuation(char32_t c) { return has_category(c, U_GC_P_MASK); }

bool is_symbol(char32_t c) { return has_category(c, U_GC_S_MASK); }

}  // namespace yona
