#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/generate/jinja/functions.h"

#include "tests/generate/jinja/rendered.h"

namespace yona::jinja {
namespace {

using testing::HasSubstr;

TEST(JinjaFilters, WorkAsJinja2s) {
  EXPECT_EQ(rendered("{{ 'xax' | trim('x') }}"), "a");
  EXPECT_EQ(rendered("{{ ['b', 'A', 'c'] | sort }}{{ [1, 2] | sort(reverse=true) }}"),
            "['A', 'b', 'c'][2, 1]");
  EXPECT_EQ(rendered("{{ [3, 1] | min }}{{ [3, 1] | max }}{{ [] | max is undefined }}"), "13True");
  EXPECT_EQ(rendered("{{ -3 | abs }}{{ '3.7' | int }}{{ '1.5' | float }}{{ 'x' | float(2.0) }}"),
            "331.52.0");
  EXPECT_EQ(rendered("{{ (1.25 | round(1)) }} {{ 7.2 | round(0, 'ceil') }}"), "1.2 8.0");
  EXPECT_EQ(rendered("{{ [1, 0, 2] | select | list }}{{ [1, 2] | reject('odd') | list }}"),
            "[1, 2][2]");
  EXPECT_EQ(rendered("{{ [{'a': 1}, {}] | map(attribute='a', default=9) | list }}"), "[1, 9]");
  EXPECT_EQ(rendered("{{ none | map('upper') | list }}"), "[]");
  EXPECT_EQ(rendered("{{ '<&>\"' | escape }}"), "&lt;&amp;&gt;&#34;");
  EXPECT_EQ(rendered("{{ [1, 2] | join(attribute='x') }}{{ {'a': 1} | length }}"), "1");
}

TEST(JinjaFilters, NumbersAreReadAndRoundedAsByPython) {
  EXPECT_EQ(rendered("{{ '0x10' | int }} {{ '1e3' | int }} {{ ' 4 ' | int }} {{ '12x' | int(7) }} "
                     "{{ '9007199254740993' | int }} {{ 'inf' | int }}"),
            "0 1000 4 7 9007199254740993 0");
  EXPECT_THAT(rendered("{{ '99999999999999999999' | int }}"), HasSubstr("an integer is too large"));
  EXPECT_EQ(rendered("{{ '1.5x' | float }} {{ '0x10' | float }} {{ 'inf' | float }}"),
            "0.0 0.0 inf");
  EXPECT_EQ(rendered("{{ 2.675 | round(2) }} {{ 5 | round }} {{ 1234.5 | round(-2) }} "
                     "{{ 2.5 | round }} {{ 15 | round(-1) }} {{ 25 | round(-1) }}"),
            "2.67 5 1200.0 2.0 20 20");
}

TEST(JinjaFilters, SumsAndExtremesTakeAnAttribute) {
  EXPECT_EQ(
      rendered("{{ [1, 2] | sum(start=5) }}{{ [[1], [2]] | sum(start=[]) }}"
               "{{ [{'v': 3}, {'v': 4}] | sum(attribute='v') }}{{ [{'v': 3}] | sum('v', 1.5) }}"),
      "8[1, 2]74.5");
  EXPECT_EQ(rendered("{{ ([{'v': 3}, {'v': 4}] | max(attribute='v')).v }}"
                     "{{ ([{'v': 3}, {'v': 4}] | min(attribute='v')).v }}"),
            "43");
}

TEST(JinjaFilters, TitleLeavesWordsWithApostrophesAndUnderscores) {
  EXPECT_EQ(rendered("{{ 'tool_response' | title }} {{ \"it's a-b\" | title }}"),
            "Tool_response It's A-B");
}

TEST(JinjaFilters, WrongSubjectsAreNamed) {
  EXPECT_THAT(rendered("{{ 3 | items }}"), HasSubstr("items of 'int' are not possible"));
  EXPECT_THAT(rendered("{{ 3 | dictsort }}"), HasSubstr("dictsort of 'int' is not possible"));
  EXPECT_THAT(rendered("{{ 3 | length }}"), HasSubstr("'int' has no length"));
  EXPECT_THAT(rendered("{{ [1] | map('upper') | tojson }}"), HasSubstr("tojson of 'generator'"));
  EXPECT_THAT(rendered("{{ 1 | tojson(separators=[1]) }}"), HasSubstr("two separators"));
  EXPECT_THAT(rendered("{{ [1] | map }}"), HasSubstr("map() needs the argument 'filter'"));
  EXPECT_EQ(find_filter("nothing"), nullptr);
}

}  // namespace
}  // namespace yona::jinja
