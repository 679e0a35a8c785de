#include "yona/serve/html_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

namespace yona::serve {

namespace {

// U+00A0 to U+00FF.
constexpr std::array<std::string_view, 96> kLatin = {
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
    "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
    "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
    "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
    "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
    "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
    "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};

constexpr std::array<std::pair<std::string_view, char32_t>, 24> kOthers = {
    {{"amp", '&'},       {"lt", '<'},       {"gt", '>'},        {"quot", '"'},
     {"apos", '\''},     {"ndash", 0x2013}, {"mdash", 0x2014},  {"lsquo", 0x2018},
     {"rsquo", 0x2019},  {"sbquo", 0x201A}, {"ldquo", 0x201C},  {"rdquo", 0x201D},
     {"bdquo", 0x201E},  {"bull", 0x2022},  {"hellip", 0x2026}, {"lsaquo", 0x2039},
     {"rsaquo", 0x203A}, {"euro", 0x20AC},  {"trade", 0x2122},  {"minus", 0x2212},
     {"OElig", 0x0152},  {"oelig", 0x0153}, {"Scaron", 0x0160}, {"scaron", 0x0161}}};

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&](char32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0U | (c >> 6U));
    byte(0x80U | (c & 0x3FU));
  } else if (c < 0x10000) {
    byte(0xE0U | (c >> 12U));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  } else {
    byte(0xF0U | (c >> 18U));
    byte(0x80U | ((c >> 12U) & 0x3FU));
    byte(0x80U | ((c >> 6U) & 0x3FU));
    byte(0x80U | (c & 0x3FU));
  }
}

// "#65" and "#x41" are A.
std::optional<char32_t> numbered(std::string_view name) {
  const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const std::string_view digits = name.substr(is_hex ? 2 : 1);
  std::uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  const bool is_character = error == std::errc() && !digits.empty() &&
                            end == digits.data() + digits.size() && value > 0 &&
                            value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return is_character ? std::optional<char32_t>(value) : std::nullopt;
}

// The character that "&name;" means.
std::optional<char32_t> character_of(std::string_view name) {
  if (name.starts_with('#')) {
    return numbered(name);
  }
  for (const auto& [known, character] : kOthers) {
    if (name == known) {
      return character;
    }
  }
  const auto latin = std::find(kLatin.begin(), kLatin.end(), name);
  constexpr char32_t kFirst = 0xA0;
  return latin == kLatin.end() || name.empty()
             ? std::nullopt
             : std::optional(kFirst + static_cast<char32_t>(latin - kLatin.begin()));
}

}  // namespace

std::string unescaped_html(std::string_view text) {
  constexpr std::size_t kLongest = 10;  // "&#x10FFFF;"
  std::string out;
  while (!text.empty()) {
    const std::size_t end = text.front() == '&' ? text.substr(0, kLongest).find(';') : text.npos;
    const std::optional<char32_t> character =
        end == text.npos ? std::nullopt : character_of(text.substr(1, end - 1));
    if (character) {
      append_utf8(out, *character);
      text.remove_prefix(end + 1);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace yona::serve
