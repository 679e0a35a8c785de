#include "yona/serve/url.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

using serve::header_parameter;
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

TEST(Url, FindsParametersOfHeaders) {
  EXPECT_EQ(header_parameter("multipart/form-data; boundary=x", "boundary"), "x");
  EXPECT_EQ(header_parameter("a;charset=utf-8 ; BOUNDARY=\"x y\" ; z", "boundary"), "x y");
  EXPECT_EQ(header_parameter("form-data; name=\"a;b\"; filename=\"c\"", "filename"), "c");
  EXPECT_EQ(header_parameter(R"(form-data; name="a \"b\" \\ \c")", "name"), R"(a "b" \ \c)");
  EXPECT_EQ(header_parameter("form-data;; name=a", "name"), "a");
  EXPECT_EQ(header_parameter("form-data; name=", "name"), "");
  for (const char* none : {"", "a", "a;", "a; name", "a; name=\"x", "name=x", "a; x=\"y; name=z"}) {
    EXPECT_EQ(header_parameter(none, "name"), std::nullopt) << none;
  }
}

TEST(Url, LowersLettersOfAsciiAlone) {
  EXPECT_EQ(serve::lower_case("Content-LENGTH Ä@["), "content-length Ä@[");
}

}  // namespace
}  // namespace yona
