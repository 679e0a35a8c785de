#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/generate/jinja/functions.h"

#include "tests/generate/jinja/rendered.h"

namespace yona::jinja {
namespace {

TEST(JinjaTests, WorkAsJinja2s) {
  EXPECT_EQ(rendered("{{ 1 is integer }}{{ true is integer }}{{ true is true }}{{ 1 is true }}"),
            "TrueFalseTrueFalse");
  EXPECT_EQ(
      rendered("{{ 3 is lt 4 }}{{ 3 is ge 4 }}{{ 3 is ne 4 }}{{ 'A' is upper }}{{ 'a' is lower }}"),
      "TrueFalseTrueTrueTrue");
  EXPECT_EQ(
      rendered(
          "{{ 'a' is in 'abc' }}{{ 1 is sameas true }}{{ range is callable }}{{ x is iterable }}"),
      "TrueFalseTrueTrue");
  EXPECT_EQ(rendered("{{ [1, 2, 3] | select('>', 1) | list }}{{ [1, 2] | select('==', 1) | list }}"
                     "{{ [1, 2] | reject('!=', 1) | list }}{{ [1, 2] | select('<=', 1) | list }}"
                     "{{ [1, 2] | select('<', 2) | list }}{{ [1, 2] | select('>=', 2) | list }}"),
            "[2, 3][1][1][1][1][2]");
  EXPECT_EQ(rendered("{{ '1' is lower }}{{ '1' is upper }}{{ 'a1' is lower }}"), "FalseFalseTrue");
  EXPECT_THAT(rendered("{{ 3 is divisibleby 0 }}"), testing::HasSubstr("division by zero"));
  EXPECT_THAT(rendered("{{ 3 is eq }}"), testing::HasSubstr("needs the argument 'other'"));
  EXPECT_EQ(find_test("nothing"), nullptr);
}

}  // namespace
}  // namespace yona::jinja
