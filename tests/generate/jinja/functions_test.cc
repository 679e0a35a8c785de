#include "yona/generate/jinja/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generate/jinja/rendered.h"

namespace yona::jinja {
namespace {

using testing::HasSubstr;

TEST(JinjaFunctions, AreThoseThatTransformersGives) {
  EXPECT_EQ(rendered("{{ range(3) }}{{ range(5, 0, -2) }}{{ dict(a=1) }}"),
            "[0, 1, 2][5, 3, 1]{'a': 1}");
  EXPECT_EQ(
      rendered("{% set n = namespace({'b': 2}, a=1) %}{{ n.a }}{{ n.b }}{{ n.c is defined }}"),
      "12False");
  EXPECT_EQ(rendered("{{ raise_exception('no') }}"), "error: chat template: no");
  RenderOptions options;
  options.now = [] { return std::chrono::system_clock::time_point(std::chrono::hours(24 * 365)); };
  EXPECT_EQ(rendered("{{ strftime_now('%Y-%m') }}", {}, options), "1971-01");
}

TEST(JinjaFunctions, WrongArgumentsAreNamed) {
  EXPECT_THAT(rendered("{{ range() }}"), HasSubstr("range() takes 1 to 3 integers"));
  EXPECT_THAT(rendered("{{ range(1, 2, 0) }}"), HasSubstr("a step of zero"));
  EXPECT_THAT(rendered("{{ namespace(1) }}"), HasSubstr("namespace() takes a dictionary"));
  EXPECT_THAT(rendered("{{ dict(1) }}"), HasSubstr("dict() takes a dictionary"));
  EXPECT_THAT(rendered("{{ strftime_now() }}"), HasSubstr("needs the argument 'format'"));
}

TEST(JinjaFunctions, PathsAreFollowed) {
  const Json variables = Json::parse(R"({"xs":[{"a":{"b":[5,6]}}]})");
  EXPECT_EQ(rendered("{{ xs | map(attribute='a.b.1') | list }}", variables), "[6]");
}

TEST(JinjaFunctions, LengthsAreOfCharacters) {
  EXPECT_EQ(length_of(Value("aé日😀")), 4);
  EXPECT_THROW(length_of(Value(std::int64_t{3})), TemplateError);
}

}  // namespace
}  // namespace yona::jinja
