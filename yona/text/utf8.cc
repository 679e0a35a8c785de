// Table 3-7 of the Unicode standard, with eight ASCII bytes taken at a time.

#include "yona/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <unicode/uchar.h>

namespace yona {

namespace {

std::uint8_t byte_at(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

bool is_trail(std::uint8_t byte) { return (byte & 0xC0U) == 0x80U; }

// How many bytes a character has, and how many of them are as they should be.
struct Multibyte {
  std::size_t length = 0, good = 0;
};

// Of the character at `at`, whose first byte is not ASCII; no length for a byte that begins none.
Multibyte multibyte_at(std::string_view text, std::size_t at) {
  const std::uint8_t first = byte_at(text, at);
  if (first < 0xC2U || first > 0xF4U) {
    return {};
  }
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  std::uint8_t lowest = 0x80U;
  std::uint8_t highest = 0xBFU;
  switch (first) {
    case 0xE0U:
      lowest = 0xA0U;  // shorter forms exist below
      break;
    case 0xEDU:
      highest = 0x9FU;  // surrogates lie above
      break;
    case 0xF0U:
      lowest = 0x90U;
      break;
    case 0xF4U:
      highest = 0x8FU;  // U+10FFFF is the last
      break;
    default:
      break;
  }
  const auto there = [&](std::size_t trail) { return at + trail < text.size(); };
  if (!there(1) || byte_at(text, at + 1) < lowest || byte_at(text, at + 1) > highest) {
    return {length, 1};
  }
  std::size_t good = 2;
  while (good < length && there(good) && is_trail(byte_at(text, at + good))) {
    ++good;
  }
  return {length, good};
}

// Length of the well-formed character at `at`, whose first byte is not ASCII; 0 if there is none.
std::size_t multibyte_length(std::string_view text, std::size_t at) {
  const Multibyte found = multibyte_at(text, at);
  return found.good == found.length ? found.length : 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t eight = 0;
    if (text.size() - at >= sizeof(eight)) {
      std::memcpy(&eight, text.data() + at, sizeof(eight));
      if ((eight & 0x8080808080808080U) == 0) {
        at += sizeof(eight);
        continue;
      }
    }
    const std::size_t length = byte_at(text, at) < 0x80U ? 1 : multibyte_length(text, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

std::size_t utf8_length(std::string_view text) {
  const std::uint8_t first = byte_at(text, 0);
  const std::size_t length = first < 0xC0U ? 1 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
  return std::min(length, text.size());
}

std::string repaired_utf8(std::string_view text) {
  std::string repaired;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = byte_at(text, at) < 0x80U ? 1 : multibyte_length(text, at);
    repaired.append(length == 0 ? std::string_view("\uFFFD") : text.substr(at, length));
    at += std::max<std::size_t>(length, 1);
  }
  return repaired;
}

std::string lossy_utf8(std::string_view text) {
  std::string repaired;
  for (std::size_t at = 0; at < text.size();) {
    const Multibyte found = byte_at(text, at) < 0x80U ? Multibyte{1, 1} : multibyte_at(text, at);
    const bool is_whole = found.length > 0 && found.good == found.length;
    repaired.append(is_whole ? text.substr(at, found.length) : std::string_view("\uFFFD"));
    at += std::max<std::size_t>(found.good, 1);
  }
  return repaired;
}

char32_t utf8_character(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (!is_utf8(text.substr(0, length))) {
    return U'\uFFFD';
  }
  constexpr std::uint32_t kLeadBits[] = {0, 0x7FU, 0x1FU, 0x0FU, 0x07U};  // by length
  std::uint32_t character = byte_at(text, 0) & kLeadBits[length];
  for (std::size_t trail = 1; trail < length; ++trail) {
    character = (character << 6U) | (byte_at(text, trail) & 0x3FU);
  }
  return character;
}

bool is_all_space(std::string_view text) {
  while (!text.empty() && u_isUWhiteSpace(static_cast<UChar32>(utf8_character(text))) != 0) {
    text.remove_prefix(utf8_length(text));
  }
  return text.empty();
}

std::u32string utf32_of(std::string_view text) {
  std::u32string characters;
  while (!text.empty()) {
    characters += utf8_character(text);
    text.remove_prefix(utf8_length(text));
  }
  return characters;
}

}  // namespace yona
