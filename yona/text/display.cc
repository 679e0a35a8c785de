#include "yona/text/display.h"

#include <charconv>
#include <clocale>
#include <cwchar>
#include <optional>

#include "yona/text/spm_file.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Character widths of C.UTF-8, whatever locale the process runs in.
int character_width(char32_t character) {
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) {
    return 1;
  }
  const locale_t before = uselocale(utf8);
  const int width = ::wcwidth(static_cast<wchar_t>(character));
  uselocale(before);
  return width < 0 ? 1 : width;
}

bool is_direction_mark(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// U+2400 + c for the controls of ASCII, U+2421 for DEL.
std::string control_picture(char32_t control) {
  const std::uint32_t picture = control == 0x7F ? 0x21U : static_cast<std::uint32_t>(control);
  return {'\xE2', '\x90', static_cast<char>(0x80U | picture)};
}

// What changes the picture without being seen: line ends, C1 controls, and what XML forbids.
bool is_unshowable(char32_t c) {
  return (c >= 0x80 && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFFFE || c == 0xFFFF ||
         is_direction_mark(c);
}

// The letter of a byte piece (<0x71>) that is one: those of other scripts take several.
std::optional<char> byte_piece_letter(std::string_view piece) {
  unsigned byte = 0;
  const bool shaped = piece.size() == 6 && piece.starts_with("<0x") && piece.ends_with('>');
  if (!shaped ||
      std::from_chars(piece.data() + 3, piece.data() + 5, byte, 16).ptr != piece.data() + 5) {
    return std::nullopt;
  }
  return byte > 0x20 && byte < 0x7F ? std::optional(static_cast<char>(byte)) : std::nullopt;
}

}  // namespace

std::int64_t display_width(std::string_view text) {
  std::int64_t width = 0;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    width += character_width(utf8_character(text));
    text.remove_prefix(length);
  }
  return width;
}

std::string cut_to_width(std::string_view text, std::int64_t columns) {
  if (display_width(text) <= columns) {
    return std::string(text);
  }
  std::string out;
  std::int64_t width = 1;  // of the "…"
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    width += character_width(utf8_character(text));
    if (width > columns) {
      break;
    }
    out += text.substr(0, length);
    text.remove_prefix(length);
  }
  return out + "…";
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char32_t character = utf8_character(text);
    if (character < 0x20 || character == 0x7F) {
      out += control_picture(character);
    } else if (character == U'\uFFFD' || is_unshowable(character)) {
      out += kReplacement;
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string piece_label(std::string_view piece) {
  const bool starts = piece.starts_with(kWordStart) && piece.size() > kWordStart.size();
  if (const auto letter = byte_piece_letter(piece)) {
    return {*letter};
  }
  return printable(starts ? piece.substr(kWordStart.size()) : piece);
}

}  // namespace yona
