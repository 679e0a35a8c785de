#include "yona/generate/jinja/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generate/jinja/rendered.h"

namespace yona::jinja {
namespace {

TEST(JinjaInterpreter, ALoopsVariablesStayInside) {
  EXPECT_EQ(rendered("{% set a = 1 %}{% for i in [1, 2] %}{{ a }}{% set a = 5 %}{{ a }}{% endfor %}"
                     "{{ a }}{{ i is defined }}"),
            "15151False");
  EXPECT_EQ(rendered("{% if true %}{% set a = 2 %}{% endif %}{{ a }}"), "2");
}

TEST(JinjaInterpreter, AMacroSeesTheTemplatesVariablesOnly) {
  EXPECT_EQ(rendered("{% set a = 1 %}{% macro m(x) %}{{ a }}{{ x }}{{ i is defined }}{% endmacro %}"
                     "{% for i in [7] %}{{ m(i) }}{% endfor %}"),
            "17False");
}

TEST(JinjaInterpreter, StepsBytesAndDepthAreBounded) {
  using testing::HasSubstr;
  RenderOptions options;
  options.bounds = {.steps = 10'000, .output = 1000, .bytes = 100'000};
  EXPECT_THAT(rendered("{% for i in range(99999) %}{{ '' }}{% endfor %}", {}, options),
              HasSubstr("more than"));
  EXPECT_THAT(rendered("{% for i in range(500) %}xxxxx{% endfor %}", {}, options),
              HasSubstr("more than 1000 bytes"));
  EXPECT_THAT(rendered("{% set s = namespace(x='abcdefgh') %}{% for i in range(900) %}"
                       "{% set s.x = s.x + s.x %}{% endfor %}",
                       {}, options),
              HasSubstr("more than 100000 bytes"));
  EXPECT_THAT(rendered("{{ 'x' * 1000000000000 }}", {}, options), HasSubstr("too long"));
  EXPECT_THAT(rendered("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}"),
              HasSubstr("deeper than 64"));
  EXPECT_THAT(rendered("{{ range(1000000) }}"), HasSubstr("more than 100000 integers"));
}

TEST(JinjaInterpreter, MistakesOfATemplateAreNamed) {
  using testing::HasSubstr;
  EXPECT_THAT(rendered("\n{{ x.y }}"), HasSubstr("line 2: 'x' is undefined"));
  EXPECT_THAT(rendered("{{ x() }}"), HasSubstr("'x' is undefined"));
  EXPECT_THAT(rendered("{{ 1() }}"), HasSubstr("'int' cannot be called"));
  EXPECT_THAT(rendered("{% set x.y = 1 %}"), HasSubstr("'x' is not a namespace"));
  EXPECT_THAT(rendered("{% set n = namespace() %}{% set n._x = 1 %}"), HasSubstr("begin with '_'"));
  EXPECT_THAT(rendered("{% for a, b in [[1]] %}{% endfor %}"), HasSubstr("1 values for 2 names"));
  EXPECT_THAT(rendered("{% for a in 3 %}{% endfor %}"), HasSubstr("'int' cannot be iterated"));
  EXPECT_THAT(rendered("{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}"),
              HasSubstr("not more than 1"));
  EXPECT_THAT(rendered("{% macro m(a) %}{% endmacro %}{{ m(b=2) }}"), HasSubstr("no argument 'b'"));
}

}  // namespace
}  // namespace yona::jinja
