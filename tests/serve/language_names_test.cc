#include "yona/serve/language_names.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(LanguageNames, AreEnglish) {
  EXPECT_EQ(serve::language_name("de"), "German");
  EXPECT_EQ(serve::language_name("zt"), "Chinese (traditional)");
  EXPECT_EQ(serve::language_name("eng_Latn"), "English (Latin)");
}

TEST(LanguageNames, OfWhatIsNoneAreTheCodes) {
  EXPECT_EQ(serve::language_name("qqx"), "qqx");
  EXPECT_EQ(serve::language_name(""), "");
}

}  // namespace
}  // namespace yona
