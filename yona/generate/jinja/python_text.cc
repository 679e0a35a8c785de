#include "yona/generate/jinja/python_text.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include <unicode/locid.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include "yona/generate/jinja/value.h"
#include "yona/text/utf8.h"

namespace yona::jinja {

namespace {

bool is_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

// Is the character one of those that are stripped?
std::function<bool(std::string_view)> strips(const std::optional<std::string_view>& of) {
  if (!of) {
    return [](std::string_view c) { return is_space(utf8_character(c)); };
  }
  std::u32string set = utf32_of(*of);
  std::sort(set.begin(), set.end());
  return [sorted = std::move(set)](std::string_view c) {
    return std::binary_search(sorted.begin(), sorted.end(), utf8_character(c));
  };
}

// Where the last character begins.
std::size_t last_character(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) {
    --at;
  }
  return at;
}

std::string backwards(std::string_view bytes) { return {bytes.rbegin(), bytes.rend()}; }

std::string cased(std::string_view text, const std::function<void(icu::UnicodeString&)>& change) {
  icu::UnicodeString string = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())));
  change(string);
  std::string out;
  string.toUTF8String(out);
  return out;
}

std::vector<std::string> split_at_space(std::string_view text, std::int64_t most) {
  std::vector<std::string> parts;
  for (text = stripped_left(text); !text.empty(); text = stripped_left(text)) {
    if (most == 0) {
      parts.emplace_back(text);
      break;
    }
    std::size_t end = 0;
    while (end < text.size() && !is_space(utf8_character(text.substr(end)))) {
      end += utf8_length(text.substr(end));
    }
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    --most;
  }
  return parts;
}

}  // namespace

bool is_letter(char32_t c) { return (U_GET_GC_MASK(static_cast<UChar32>(c)) & U_GC_L_MASK) != 0; }

bool is_digit(char32_t c) {
  const int kind = u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_NUMERIC_TYPE);
  return kind == U_NT_DECIMAL || kind == U_NT_DIGIT;
}

bool is_letter_or_number(char32_t c) {
  return is_letter(c) ||
         u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_NUMERIC_TYPE) != U_NT_NONE;
}

bool is_printable(char32_t c) {
  return c == U' ' || (U_GET_GC_MASK(static_cast<UChar32>(c)) & (U_GC_C_MASK | U_GC_Z_MASK)) == 0;
}

bool is_all(std::string_view text, bool (*holds)(char32_t)) {
  const std::u32string characters = utf32_of(text);
  return !characters.empty() && std::all_of(characters.begin(), characters.end(), holds);
}

void append_utf8(char32_t c, std::string& out) {
  auto code = static_cast<std::uint32_t>(c);
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    code = 0xFFFD;
  }
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | code >> 6U);
    byte(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    byte(0xE0U | code >> 12U);
    byte(0x80U | (code >> 6U & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  } else {
    byte(0xF0U | code >> 18U);
    byte(0x80U | (code >> 12U & 0x3FU));
    byte(0x80U | (code >> 6U & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

std::size_t position_of(std::string_view text, std::string_view part) {
  if (part.empty()) {
    return 0;
  }
  const void* at = ::memmem(text.data(), text.size(), part.data(), part.size());
  return at == nullptr ? std::string_view::npos
                       : static_cast<std::size_t>(static_cast<const char*>(at) - text.data());
}

std::size_t last_position_of(std::string_view text, std::string_view part) {
  const std::size_t at = position_of(backwards(text), backwards(part));
  return at == std::string_view::npos ? at : text.size() - part.size() - at;
}

std::string_view stripped_left(std::string_view text, std::optional<std::string_view> of) {
  const auto is_stripped = strips(of);
  while (!text.empty() && is_stripped(text)) {
    text.remove_prefix(utf8_length(text));
  }
  return text;
}

std::string_view stripped_right(std::string_view text, std::optional<std::string_view> of) {
  const auto is_stripped = strips(of);
  while (!text.empty()) {
    const std::size_t at = last_character(text);
    if (!is_stripped(text.substr(at))) {
      break;
    }
    text = text.substr(0, at);
  }
  return text;
}

std::string_view stripped(std::string_view text, std::optional<std::string_view> of) {
  return stripped_right(stripped_left(text, of), of);
}

std::string upper(std::string_view text) {
  return cased(text, [](icu::UnicodeString& string) { string.toUpper(icu::Locale::getRoot()); });
}

std::string lower(std::string_view text) {
  return cased(text, [](icu::UnicodeString& string) { string.toLower(icu::Locale::getRoot()); });
}

std::string title(std::string_view text) {
  std::string out;
  bool is_inside = false;  // of a word: of letters
  for (const char32_t c : utf32_of(text)) {
    std::string one;
    append_utf8(c, one);
    const std::string low = lower(one), up = upper(one);
    out += is_inside ? low : up;
    is_inside = low != up;
  }
  return out;
}

std::string title_words(std::string_view text) {
  const auto is_between = [](char32_t c) {
    return is_space(c) || std::u32string_view(U"-({[<").find(c) != std::u32string_view::npos;
  };
  std::string out;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    const bool is_word = !is_between(utf8_character(text.substr(begin)));
    while (end < text.size() && is_word != is_between(utf8_character(text.substr(end)))) {
      end += utf8_length(text.substr(end));
    }
    const std::string_view part = text.substr(begin, end - begin);
    out += is_word ? capitalized(part) : std::string(part);
  }
  return out;
}

std::string capitalized(std::string_view text) {
  if (text.empty()) {
    return "";
  }
  const std::size_t first = utf8_length(text);
  return upper(text.substr(0, first)) + lower(text.substr(first));
}

std::vector<std::string> split(std::string_view text, std::optional<std::string_view> separator,
                               std::int64_t most) {
  if (!separator) {
    return split_at_space(text, most);
  }
  std::vector<std::string> parts;
  for (; most != 0; --most) {
    const std::size_t at = position_of(text, *separator);
    if (at == std::string_view::npos) {
      break;
    }
    parts.emplace_back(text.substr(0, at));
    text.remove_prefix(at + separator->size());
  }
  parts.emplace_back(text);
  return parts;
}

std::vector<std::string> split_from_right(std::string_view text,
                                          std::optional<std::string_view> separator,
                                          std::int64_t most) {
  if (most < 0 && !separator) {
    return split_at_space(text, most);
  }
  std::vector<std::string> parts;
  if (separator) {
    parts = split(backwards(text), backwards(*separator), most);
    for (std::string& part : parts) {
      std::reverse(part.begin(), part.end());
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
  }
  text = stripped_right(text);
  for (; most > 0 && !text.empty(); --most) {
    std::size_t end = text.size();  // of the white space before the last word
    while (end > 0 && !is_space(utf8_character(text.substr(last_character(text.substr(0, end)))))) {
      end = last_character(text.substr(0, end));
    }
    const std::size_t begin = stripped_right(text.substr(0, end)).size();
    parts.emplace_back(text.substr(end));
    text = text.substr(0, begin);
  }
  if (!text.empty()) {
    parts.emplace_back(text);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = 0;
    const auto is_break = [&](char32_t c) {
      return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
             c == 0x2029;
    };
    while (end < text.size() && !is_break(utf8_character(text.substr(end)))) {
      end += utf8_length(text.substr(end));
    }
    lines.emplace_back(text.substr(0, end));
    if (end < text.size()) {
      end += text.substr(end).starts_with("\r\n") ? 2 : utf8_length(text.substr(end));
    }
    text.remove_prefix(end);
  }
  return lines;
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to,
                     std::int64_t most) {
  std::string out;
  if (from.empty()) {
    for (; most != 0; --most) {
      append_bounded(out, to);
      if (text.empty()) {
        return out;
      }
      append_bounded(out, text.substr(0, utf8_length(text)));
      text.remove_prefix(utf8_length(text));
    }
    return out + std::string(text);
  }
  for (; most != 0; --most) {
    const std::size_t at = position_of(text, from);
    if (at == std::string_view::npos) {
      break;
    }
    append_bounded(out, text.substr(0, at));
    append_bounded(out, to);
    text.remove_prefix(at + from.size());
  }
  return out + std::string(text);
}

std::string markup_escaped(std::string_view text) {
  std::string out;
  for (; !text.empty(); text.remove_prefix(1)) {
    switch (text.front()) {
      case '&':
        append_bounded(out, "&amp;");
        break;
      case '<':
        append_bounded(out, "&lt;");
        break;
      case '>':
        append_bounded(out, "&gt;");
        break;
      case '"':
        append_bounded(out, "&#34;");
        break;
      case '\'':
        append_bounded(out, "&#39;");
        break;
      default:
        append_bounded(out, text.substr(0, 1));
    }
  }
  return out;
}

}  // namespace yona::jinja
