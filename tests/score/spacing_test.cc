#include "yona/score/spacing.h"

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

bool is_x(char32_t c) { return c == 'x'; }
bool is_any(char32_t /*c*/) { return true; }

std::u32string replaced(std::u32string text, std::u32string_view from, std::u32string_view to) {
  replace_all(text, from, to);
  return text;
}

TEST(Spacing, PutsSpacesAroundEachMatch) {
  EXPECT_EQ(space_around(U"axxb", is_x), U"a x  x b");
  EXPECT_EQ(space_around(U"", is_x), U"");
}

TEST(Spacing, BeginsAMatchWhereTheLastOneEnded) {
  // The second x is taken as the neighbour of the first, so it gets no spaces of its own.
  EXPECT_EQ(space_around_second(U"axxx", is_any, is_x), U"a x x x ");
  EXPECT_EQ(space_around_first(U"xxxa", is_x, is_any), U" x x x a");
}

TEST(Spacing, NeedsBothCharactersOfAPair) {
  EXPECT_EQ(space_around_second(U"x", is_any, is_x), U"x");
  EXPECT_EQ(space_around_first(U"ax", is_x, is_any), U"ax");
}

TEST(Spacing, ReplacesWithoutLookingAtWhatItPutIn) {
  EXPECT_EQ(replaced(U"&amp;amp; &amp;", U"&amp;", U"&"), U"&amp; &");
  EXPECT_EQ(replaced(U"aaa", U"aa", U"b"), U"ba");
  EXPECT_EQ(replaced(U"abc", U"x", U"y"), U"abc");
  EXPECT_EQ(replaced(U"abab", U"ab", U""), U"");
}

}  // namespace
}  // namespace yona::testing
