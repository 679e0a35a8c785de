#include "yona/base/base64.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Base64, AnswersTheExamplesOfTheRfc) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, TakesBytesOfEveryValue) {
  EXPECT_EQ(base64(std::string_view("\0\0\0", 3)), "AAAA");
  EXPECT_EQ(base64("\xFB\xFF\xFE"), "+//+");
  EXPECT_EQ(base64("\xFF"), "/w==");
}

TEST(Base64, IsReadBack) {
  for (const std::string_view bytes : {"", "f", "fo", "foo", "foob", "\xFB\xFF\xFE\x00"}) {
    EXPECT_EQ(from_base64(base64(bytes)), bytes);
  }
  for (const char* text : {"A", "AAA", "AA=A", "====", "AA A", "Zm9*"}) {
    EXPECT_FALSE(from_base64(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace yona
