#include "yona/generate/character_set.h"

#include <gtest/gtest.h>

#include "yona/text/utf8.h"

namespace yona {
namespace {

std::string utf8(char32_t c) {
  std::string out;
  if (c < 0x80) {
    out = {static_cast<char>(c)};
  } else if (c < 0x800) {
    out = {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out = {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
           static_cast<char>(0x80 | (c & 0x3F))};
  } else {
    out = {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 0x3F)),
           static_cast<char>(0x80 | (c >> 6 & 0x3F)), static_cast<char>(0x80 | (c & 0x3F))};
  }
  return out;
}

int sequences_with(const std::vector<ByteRanges>& sequences, const std::string& text) {
  int count = 0;
  for (const ByteRanges& sequence : sequences) {
    bool fits = sequence.size() == text.size();
    for (std::size_t i = 0; fits && i < text.size(); ++i) {
      const auto byte = static_cast<std::uint8_t>(text[i]);
      fits = sequence[i].first <= byte && byte <= sequence[i].last;
    }
    count += fits ? 1 : 0;
  }
  return count;
}

TEST(CharacterSet, RangesAreMergedAndSurrogatesLeftOut) {
  const CharacterSet set{{'d', 'f'}, {'a', 'c'}, {'x', 'z'}, {0xD000, 0xE100}};
  ASSERT_EQ(set.ranges().size(), 4U);
  EXPECT_EQ(set.ranges()[0].last, static_cast<std::uint32_t>('f'));
  EXPECT_EQ(set.ranges()[2].last, 0xD7FFU);
  EXPECT_EQ(set.ranges()[3].first, 0xE000U);
}

TEST(CharacterSet, TheComplementHasEveryOtherCharacter) {
  const CharacterSet set{{'a', 'z'}, {0x400, 0x4FF}};
  const CharacterSet rest = set.complement();
  for (std::uint32_t c = 0; c < 0x11000; ++c) {
    const bool is_surrogate = c >= 0xD800 && c <= 0xDFFF;
    EXPECT_EQ(rest.has(c), !set.has(c) && !is_surrogate) << c;
  }
  EXPECT_TRUE(CharacterSet::all().complement().is_empty());
  EXPECT_TRUE(rest.has(kLastCharacter));
}

TEST(CharacterSet, EveryMemberIsInExactlyOneByteSequenceAndNothingElseIs) {
  for (const CharacterSet& set :
       {CharacterSet::all(), CharacterSet{{0x70, 0x850}}, CharacterSet{{0x7FF, 0x10001}},
        CharacterSet{{'a', 'a'}, {0xE9, 0x20AC}, {0x1F600, 0x1F64F}}}) {
    const std::vector<ByteRanges> sequences = utf8_ranges(set);
    for (std::uint32_t c = 0; c <= kLastCharacter; c += c < 0x11000 ? 1 : 97) {
      EXPECT_EQ(sequences_with(sequences, utf8(c)), set.has(c) ? 1 : 0) << c;
    }
  }
}

TEST(CharacterSet, AnEmptySetHasNoSequence) {
  EXPECT_TRUE(utf8_ranges(CharacterSet{}).empty());
  EXPECT_TRUE((CharacterSet{{'z', 'a'}}).is_empty());
}

}  // namespace
}  // namespace yona
