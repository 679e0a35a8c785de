#include "yona/generate/regex_class.h"

#include <optional>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {

namespace {

CharacterSet digits() { return {{'0', '9'}}; }
CharacterSet word_characters() { return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}; }
CharacterSet spaces() { return {{'\t', '\r'}, {' ', ' '}}; }

std::optional<CharacterSet> named_class(std::uint32_t name) {
  switch (name) {
    case 'd':
      return digits();
    case 'D':
      return digits().complement();
    case 'w':
      return word_characters();
    case 'W':
      return word_characters().complement();
    case 's':
      return spaces();
    case 'S':
      return spaces().complement();
    default:
      return std::nullopt;
  }
}

int hex_value(std::uint32_t c) {
  if (c >= '0' && c <= '9') {
    return static_cast<int>(c - '0');
  }
  c |= 0x20U;
  return c >= 'a' && c <= 'f' ? static_cast<int>(c - 'a') + 10 : -1;
}

std::uint32_t take_hex(RegexReader& reader, int digit_count) {
  std::uint32_t value = 0;
  for (int i = 0; i < digit_count; ++i) {
    const int digit = reader.at_end() ? -1 : hex_value(reader.take_character());
    if (digit < 0) {
      reader.refuse(fmt::format("an escape with other than {} hexadecimal digits", digit_count));
    }
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  return value;
}

CharacterSet one_character(RegexReader& reader, std::uint32_t c) {
  if (c > kLastCharacter || (c >= 0xD800 && c <= 0xDFFF)) {
    reader.refuse("an escape that is not a Unicode character");
  }
  return {{c, c}};
}

CharacterSet numeric_escape(RegexReader& reader, std::uint32_t name) {
  if (name == 'x') {
    return one_character(reader, take_hex(reader, 2));
  }
  if (name == 'U') {
    return one_character(reader, take_hex(reader, 8));
  }
  if (!reader.take("{")) {
    return one_character(reader, take_hex(reader, 4));
  }
  std::uint32_t value = 0;
  while (!reader.take("}")) {
    value = value * 16 + take_hex(reader, 1);
    if (value > kLastCharacter) {
      reader.refuse("an escape that is not a Unicode character");
    }
  }
  return one_character(reader, value);
}

}  // namespace

RegexReader::RegexReader(std::string_view pattern) : pattern_(pattern) {
  check(is_utf8(pattern), "regular expression: it is not UTF-8");
}

bool RegexReader::take(std::string_view text) {
  if (!next_is(text)) {
    return false;
  }
  at_ += text.size();
  return true;
}

std::uint32_t RegexReader::take_character() {
  const auto byte = [&] { return static_cast<std::uint8_t>(pattern_[at_++]); };
  const std::uint32_t first = byte();
  if (first < 0x80) {
    return first;
  }
  const int following = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  std::uint32_t c = first & (0x3FU >> static_cast<unsigned>(following));
  for (int i = 0; i < following; ++i) {
    c = c << 6U | (byte() & 0x3FU);
  }
  return c;
}

std::int64_t RegexReader::take_count() {
  std::int64_t count = -1;
  while (!at_end() && pattern_[at_] >= '0' && pattern_[at_] <= '9') {
    count = std::max<std::int64_t>(count, 0) * 10 + (pattern_[at_++] - '0');
    if (count > kMostCount) {
      refuse(fmt::format("a repetition of more than {}", kMostCount));
    }
  }
  return count;
}

void RegexReader::refuse(std::string_view what) const {
  fail("regular expression: {} is not supported (before byte {} of '{}')", what, at_,
       pattern_.size() > 100 ? lossy_utf8(pattern_.substr(0, 100)) + "…" : std::string(pattern_));
}

CharacterSet read_escape(RegexReader& reader, bool in_class) {
  if (reader.at_end()) {
    reader.refuse("a backslash at the end");
  }
  const std::uint32_t name = reader.take_character();
  if (const auto set = named_class(name)) {
    return *set;
  }
  switch (name) {
    case 't':
      return {{'\t', '\t'}};
    case 'n':
      return {{'\n', '\n'}};
    case 'v':
      return {{'\v', '\v'}};
    case 'f':
      return {{'\f', '\f'}};
    case 'r':
      return {{'\r', '\r'}};
    case '0':
      return {{0, 0}};
    case 'x':
    case 'u':
    case 'U':
      return numeric_escape(reader, name);
    default:
      break;
  }
  if (name == 'b' && in_class) {
    return {{'\b', '\b'}};
  }
  if (name == 'b' || name == 'B') {
    reader.refuse("a word boundary (\\b, \\B)");
  }
  if (name >= '1' && name <= '9') {
    reader.refuse("a back-reference");
  }
  if (name == 'p' || name == 'P') {
    reader.refuse("a Unicode property (\\p)");
  }
  if (name < 0x80 && word_characters().has(name)) {
    reader.refuse(fmt::format("the escape \\{}", static_cast<char>(name)));
  }
  return {{name, name}};
}

CharacterSet read_class(RegexReader& reader) {
  const bool is_negated = reader.take("^");
  const auto member = [&]() -> CharacterSet {
    if (reader.at_end()) {
      reader.refuse("a class without ']'");
    }
    if (reader.next_is("[:")) {
      reader.refuse("a named class ([:…:])");
    }
    if (reader.take("\\")) {
      return read_escape(reader, true);
    }
    const std::uint32_t c = reader.take_character();
    return {{c, c}};
  };
  const auto is_one = [](const CharacterSet& set) {
    return set.ranges().size() == 1 && set.ranges()[0].first == set.ranges()[0].last;
  };
  std::vector<CharacterSet::Range> ranges;
  for (bool is_first = true; is_first || !reader.take("]"); is_first = false) {
    const CharacterSet from = member();  // a "]" that comes first is a member
    const std::size_t before_range = reader.position();
    if (!reader.take("-") || reader.next_is("]")) {
      reader.go_back_to(before_range);
      ranges.insert(ranges.end(), from.ranges().begin(), from.ranges().end());
      continue;
    }
    const CharacterSet to = member();
    if (!is_one(from) || !is_one(to) || from.ranges()[0].first > to.ranges()[0].first) {
      reader.refuse("a range whose ends are not two ascending characters");
    }
    ranges.push_back({from.ranges()[0].first, to.ranges()[0].first});
  }
  const CharacterSet set(std::move(ranges));
  return is_negated ? set.complement() : set;
}

CharacterSet any_but_newline() { return CharacterSet{{'\n', '\n'}}.complement(); }

}  // namespace yona
