// A set of Unicode characters, as the ranges of a class in a regular expression or of what a JSON
// string may hold. Surrogates are never members: no UTF-8 text has them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace yona {

inline constexpr std::uint32_t kLastCharacter = 0x10FFFF;

class CharacterSet {
 public:
  struct Range {
    std::uint32_t first = 0, last = 0;  // both are members
  };

  CharacterSet() = default;
  CharacterSet(std::initializer_list<Range> ranges);
  explicit CharacterSet(std::vector<Range> ranges);  // in any order
  static CharacterSet all();

  void add(std::uint32_t first, std::uint32_t last);
  void add(const CharacterSet& other);
  CharacterSet complement() const;
  CharacterSet without(const CharacterSet& other) const;
  CharacterSet in_common_with(const CharacterSet& other) const;
  bool has(std::uint32_t character) const;
  bool is_empty() const { return ranges_.empty(); }
  // Ascending, apart from each other, without surrogates.
  const std::vector<Range>& ranges() const { return ranges_; }

 private:
  void normalise();

  std::vector<Range> ranges_;
};

// A sequence of 1 to 4 byte ranges: every text with one byte of each is a character.
using ByteRanges = std::vector<CharacterSet::Range>;

// The UTF-8 of the members, as sequences of byte ranges that share no text.
std::vector<ByteRanges> utf8_ranges(const CharacterSet& set);

}  // namespace yona
