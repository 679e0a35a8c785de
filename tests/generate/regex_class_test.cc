#include "yona/generate/regex_class.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/text/utf8.h"

namespace yona {
namespace {

TEST(RegexClass, ReadsCharactersOfEveryLength) {
  RegexReader reader("aé日😀");
  EXPECT_EQ(reader.take_character(), U'a');
  EXPECT_EQ(reader.take_character(), U'é');
  EXPECT_EQ(reader.take_character(), U'日');
  EXPECT_EQ(reader.take_character(), U'😀');
  EXPECT_TRUE(reader.at_end());
}

TEST(RegexClass, AClassWithACaretIsTheComplement) {
  RegexReader reader("^a-z]rest");
  const CharacterSet set = read_class(reader);
  EXPECT_FALSE(set.has('m'));
  EXPECT_TRUE(set.has('M'));
  EXPECT_TRUE(reader.next_is("rest"));
}

TEST(RegexClass, CountsHaveALimit) {
  RegexReader reader("12x");
  EXPECT_EQ(reader.take_count(), 12);
  EXPECT_EQ(reader.take_count(), -1);
  RegexReader large("100001");
  EXPECT_THROW(large.take_count(), InvalidArgument);
}

TEST(RegexClass, AnErrorSaysWhere) {
  RegexReader reader("ab");
  reader.take_character();
  try {
    reader.refuse("it");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "regular expression: it is not supported (before byte 1 of 'ab')");
  }
  std::string text = "a";  // of which the hundredth byte is within a character
  for (int i = 0; i < 60; ++i) {
    text += "é";
  }
  try {
    RegexReader(text).refuse("it");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_TRUE(is_utf8(error.what()));
  }
}

}  // namespace
}  // namespace yona
