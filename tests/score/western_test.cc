#include "yona/score/western.h"

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(Western, ReplacesEntitiesInTheirOrder) {
  std::u32string text = U"&quot;&lt;&gt;&amp;lt;&amp;quot;&apos;";
  replace_entities(text);
  EXPECT_EQ(text, U"\"<><&quot;&apos;");
}

TEST(Western, CutsOffAsciiPunctuation) {
  EXPECT_EQ(space_ascii_punctuation(U"a(b)'c'-d.e"), U"a ( b ) 'c'-d.e");
}

TEST(Western, KeepsNumbersWhole) {
  EXPECT_EQ(space_stops_and_hyphens(U"1,234.5"), U"1,234.5");
  EXPECT_EQ(space_stops_and_hyphens(U"a.b"), U"a  .  b");
  EXPECT_EQ(space_stops_and_hyphens(U"5. x"), U"5 .  x");
  EXPECT_EQ(space_stops_and_hyphens(U"1-2 a-b"), U"1 - 2 a-b");
}

}  // namespace
}  // namespace yona::testing
