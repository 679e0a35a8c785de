// The characters of a regular expression: literal ones, escapes and classes ("[a-z]", "\\d").
#pragma once

#include <cstdint>
#include <string_view>

#include "yona/generate/character_set.h"

namespace yona {

// Reads an expression from left to right. Errors name the position.
class RegexReader {
 public:
  explicit RegexReader(std::string_view pattern);  // throws InvalidArgument unless it is UTF-8

  bool at_end() const { return at_ == pattern_.size(); }
  bool next_is(std::string_view text) const { return pattern_.substr(at_).starts_with(text); }
  bool take(std::string_view text);
  std::uint32_t take_character();
  // "3", up to kMostCount; -1: there is no digit. Throws above it.
  std::int64_t take_count();
  std::size_t position() const { return at_; }
  void go_back_to(std::size_t position) { at_ = position; }
  [[noreturn]] void refuse(std::string_view what) const;

  static constexpr std::int64_t kMostCount = 100'000;

 private:
  std::string_view pattern_;
  std::size_t at_ = 0;
};

// After a backslash. In a class, "\b" is a backspace.
CharacterSet read_escape(RegexReader& reader, bool in_class);
// After "[", up to and with "]".
CharacterSet read_class(RegexReader& reader);
// "." is any character but a line feed.
CharacterSet any_but_newline();

}  // namespace yona
