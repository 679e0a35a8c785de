#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generate/jinja/rendered.h"

namespace yona::jinja {
namespace {

using testing::HasSubstr;

TEST(JinjaEvaluate, ArithmeticIsPythons) {
  EXPECT_EQ(
      rendered(
          "{{ 7 // -2 }} {{ 7 % -3 }} {{ -7.5 // 2 }} {{ 7.5 % 2 }} {{ 4 / 2 }} {{ true + 1 }}"),
      "-4 -2 -4.0 1.5 2.0 2");
  EXPECT_EQ(
      rendered("{{ 2 ** 62 }} {{ (-3) ** 3 }} {{ 2 ** -1 }} {{ 1 ** 999999999999 }} {{ 0 ** 0 }}"),
      "4611686018427387904 -27 0.5 1 1");
  EXPECT_THAT(rendered("{{ 10 ** 20 }}"), HasSubstr("an integer is too large"));
  EXPECT_THAT(rendered("{{ 1 // 0 }}"), HasSubstr("division by zero"));
  EXPECT_THAT(rendered("{{ 999999999999999999 * 999 }}"), HasSubstr("an integer is too large"));
  EXPECT_THAT(rendered("{{ '%s' % 1 }}"), HasSubstr("formatting with '%' is not supported"));
  EXPECT_THAT(rendered("{{ 'a' + 1 }}"), HasSubstr("'str' and 'int' cannot be added"));
  EXPECT_THAT(rendered("{{ 'a' + nothing }}"), HasSubstr("'nothing' is undefined"));
}

TEST(JinjaEvaluate, SlicesAndItemsAreCountedInCharacters) {
  EXPECT_EQ(rendered("{{ 'aé日'[1:] }}{{ 'abc'[-1] }}{{ 'abcde'[::2] }}{{ 'abcde'[3:0:-1] }}{{ "
                     "[1,2,3][:-1] }}"),
            "é日cacedcb[1, 2]");
  EXPECT_EQ(rendered("{{ 'abc'[7] is undefined }}{{ [1][-2] is undefined }}"), "TrueTrue");
  EXPECT_EQ(rendered("{{ '\xE6\xFF\xFF\xFF-'[1:] }}"), "\uFFFD");  // not UTF-8
  EXPECT_THAT(rendered("{{ [1][::0] }}"), HasSubstr("the step of a slice is zero"));
  EXPECT_THAT(rendered("{{ 3[1:] }}"), HasSubstr("'int' cannot be sliced"));
}

TEST(JinjaEvaluate, AMethodComesBeforeAKeyWithADotAndAfterItInBrackets) {
  const Json variables = Json::parse(R"({"d":{"items":1,"x":2}})");
  EXPECT_EQ(rendered("{{ d['items'] }}{{ d.items() | list | length }}{{ d.x }}{{ d['get']('x') }}",
                     variables),
            "1222");
}

TEST(JinjaEvaluate, UndefinedIsEmptyAndEqualToItself) {
  EXPECT_EQ(rendered("[{{ x }}{{ x == y }}{{ 'a' in x }}{% for i in x %}.{% endfor %}]"),
            "[TrueFalse]");
  EXPECT_EQ(rendered("{{ ({}.a) is undefined }}{{ (none.a) is undefined }}"), "TrueTrue");
}

TEST(JinjaEvaluate, UnknownFiltersAndTestsAreNamedWhenTheyAreUsed) {
  EXPECT_THAT(rendered("{{ 1 | wrong }}"), HasSubstr("the filter 'wrong' is not supported"));
  EXPECT_THAT(rendered("{{ 1 is wrong }}"), HasSubstr("the test 'wrong' is not supported"));
  EXPECT_EQ(rendered("{% if false %}{{ 1 | wrong }}{% endif %}"), "");
}

}  // namespace
}  // namespace yona::jinja
