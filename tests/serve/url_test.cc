#include "yona/serve/url.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::media_type;
using serve::parse_form;
using serve::Plus;
using serve::url_decoded;

TEST(Url, DecodesPercentSigns) {
  EXPECT_EQ(url_decoded("a%20b%C3%A4", Plus::plain), "a bä");
  EXPECT_EQ(url_decoded("a+b", Plus::plain), "a+b");
  EXPECT_EQ(url_decoded("a+b", Plus::space), "a b");
  for (const char* odd : {"%", "%2", "%zz", "100%", "%-1", "%+1"}) {
    EXPECT_EQ(url_decoded(odd, Plus::plain), odd);
  }
}

TEST(Url, ReadsForms) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(parse_form("q=a+b&source=en&&x"), (Pairs{{"q", "a b"}, {"source", "en"}, {"x", ""}}));
  EXPECT_EQ(parse_form(""), Pairs{});
  EXPECT_EQ(parse_form("=&a=b=c"), (Pairs{{"", ""}, {"a", "b=c"}}));
}

TEST(Url, KnowsMediaTypes) {
  EXPECT_EQ(media_type("Application/JSON ; charset=utf-8"), "application/json");
  EXPECT_EQ(media_type(""), "");
}

}  // namespace
}  // namespace yona
