#include "yona/generate/jinja/interpreter.h"

#include <memory>

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

// In Jinja it is for loops of which no round came to its end.
TEST(JinjaInterpreter, TheElseOfALoopIsJinjas) {
  EXPECT_EQ(rendered("{% for i in [1, 2] %}{% continue %}{% else %}none{% endfor %}"), "none");
  EXPECT_EQ(rendered("{% for i in [1, 2] %}{{ i }}{% break %}{% else %}none{% endfor %}"), "1none");
  EXPECT_EQ(rendered("{% for i in [1, 2] %}{% if i == 2 %}{% break %}{% endif %}{% else %}none"
                     "{% endfor %}"),
            "");
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

std::string repeated(std::string_view text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i) {
    all += text;
  }
  return all;
}

TEST(JinjaInterpreter, WhatIsNestedTooDeepIsRefused) {
  using testing::HasSubstr;
  for (const char* link : {"1 + ", "1 * ", "0 or ", "1 and ", "1 ** "}) {
    EXPECT_THAT(rendered("{{ " + repeated(link, 100'000) + "1 }}"), HasSubstr("1000 operators"));
    EXPECT_EQ(rendered("{{ (" + repeated(link, 500) + "1) is defined }}"), "True") << link;
  }
  for (const char* link : {"|trim", ".a", "[0]", "()", " is string", " if 1 else 2 if 1"}) {
    EXPECT_THAT(rendered("{{ a" + repeated(link, 50'000) + " }}"),
                ::testing::AnyOf(HasSubstr("more than 1000 operators"), HasSubstr("than 100")))
        << link;
  }
  EXPECT_EQ(rendered(repeated("{% for i in a.b.c or [] %}{% endfor %}", 2000), {{"a", {{"b", 1}}}}),
            "");
  const std::string nest = "{% for i in range(100000) %}{% set n.x = ";
  for (const char* value : {"[n.x]", "(n.x, 1)", "{'a': n.x}", "[n.x]|reverse", "{'a': n.x}.get"}) {
    EXPECT_THAT(rendered("{% set n = namespace(x=1) %}" + nest + value + " %}{% endfor %}"),
                HasSubstr("nested deeper than 200"))
        << value;
  }
  EXPECT_THAT(rendered("{% macro m(x) %}" + repeated("{% if 1 %}", 95) + "{{ " + repeated("[", 90) +
                       "m(x)" + repeated("]", 90) + " }}" + repeated("{% endif %}", 95) +
                       "{% endmacro %}{{ m(1) }}"),
              HasSubstr("deeper than"));
}

TEST(JinjaInterpreter, NamespacesThatHoldEachOtherAreFreed) {
  std::weak_ptr<Namespace> watched;
  {
    RenderOptions options;
    Interpreter interpreter(options);
    auto space = std::make_shared<Namespace>();
    watched = space;
    space->values["self"] = interpreter.made(space);
  }
  EXPECT_TRUE(watched.expired());
  // A chain of them, each destroyed by the one before.
  RenderOptions slowly;
  slowly.bounds.time = std::chrono::minutes(1);
  EXPECT_EQ(rendered("{% set n = namespace(x=1) %}{% for i in range(100000) %}"
                     "{% set n.x = namespace(y=n.x) %}{% endfor %}ok",
                     {}, slowly),
            "ok");
}

// One that could be changed would hold the one before, and that one's, without end.
TEST(JinjaInterpreter, ALoopsOwnVariableIsNotChanged) {
  EXPECT_EQ(rendered("{% set n = namespace(x=1) %}{% for i in range(90000) %}"
                     "{% set loop.x = n.x %}{% set n.x = loop %}{% endfor %}"),
            "error: chat template: line 1: 'loop' is not a namespace");
}

TEST(JinjaInterpreter, TextsAreBoundedBeforeTheyAreMade) {
  using testing::HasSubstr;
  const std::string twice =
      "{% set n = namespace(x=['abcdefgh']) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}"
      "{% endfor %}";
  for (const std::string& text :
       {twice + "{{ n.x }}", twice + "{{ n.x|tojson }}", twice + "{{ n.x|string|length }}",
        std::string("{{ range(2000)|join('x' * 1000000) }}"),
        std::string("{{ ('x' * 1000000).join(['a'] + [''] * 0 + ('b' * 2000)|list) }}"),
        std::string("{{ ('a' * 3000)|replace('a', 'b' * 1000000) }}"),
        std::string("{{ ('a' * 3000).replace('', 'b' * 1000000) }}"),
        std::string("{{ ('{0}' * 3000).format('b' * 1000000) }}"),
        std::string("{% set x = 'b' * 8000000 %}{{ x ~ x ~ x ~ x }}"),
        std::string("{{ ('a\n' * 3000)|indent('b' * 1000000) }}"),
        std::string("{{ range(100000)|list|tojson(separators=('x' * 30000, '')) }}")}) {
    EXPECT_THAT(rendered(text), ::testing::StartsWith("error: ")) << text;
  }
  EXPECT_THAT(rendered("{{ '{99999999999999999999999999}'.format(1) }}"), HasSubstr("error: "));
}

TEST(JinjaInterpreter, TimeIsBoundedWhereAStepLooksAtMuch) {
  using testing::HasSubstr;
  RenderOptions options;
  options.bounds.time = std::chrono::milliseconds(50);
  const std::string large =
      "{% set x = 'b' * 8000000 %}{% set y = range(100000) %}"
      "{% set z = range(100000) %}{% for i in range(100000) %}";
  for (const char* body :
       {"{% if x|length %}{% endif %}", "{% if x[5] %}{% endif %}", "{% if y == z %}{% endif %}",
        "{% if 'c' in x %}{% endif %}", "{% if -1 in y %}{% endif %}", "{% set s = x[0:1] %}"}) {
    EXPECT_THAT(rendered(large + body + "{% endfor %}", {}, options),
                HasSubstr("longer than 50 ms"))
        << body;
  }
  EXPECT_THAT(rendered("{{ range(100000)|unique|list|length }}", {}, options),
              HasSubstr("longer than 50 ms"));
  EXPECT_THAT(rendered("{% set n = namespace(x=[1], y=[1]) %}{% for i in range(60) %}"
                       "{% set n.x = [n.x, n.x] %}{% set n.y = [n.y, n.y] %}{% endfor %}"
                       "{{ n.x == n.y }}"),
              HasSubstr("too large to compare"));
  EXPECT_THAT(rendered("{% set n = namespace(x={0: 0}, y={0: 0}) %}{% for i in range(60) %}"
                       "{% set n.x = {n.x: n.x} %}{% set n.y = {n.y: n.y} %}{% endfor %}"
                       "{{ n.x == n.y }}"),
              HasSubstr("too large to compare"));
}

TEST(JinjaInterpreter, TimeIsBoundedWithinAFilter) {
  RenderOptions options;
  options.bounds.time = std::chrono::milliseconds(50);
  const std::string lists =
      "{% set y = range(50000) %}{% set n = namespace(x=[], d={}) %}{% for i in range(100) %}"
      "{% set n.x = n.x + [(y, 100 - i)] %}{% endfor %}";
  for (const char* text : {"{{ n.x|sort|length }}", "{{ (n.x + n.x + n.x + n.x)|max|length }}",
                           "{{ (n.x + n.x + n.x + n.x)|min|length }}"}) {
    EXPECT_THAT(rendered(lists + text, {}, options), ::testing::HasSubstr("longer than 50 ms"))
        << text;
  }
  EXPECT_THAT(rendered("{% set k = 'x' * 1000000 %}{{ range(99999)|map(attribute=k)|list|length }}",
                       {}, options),
              ::testing::HasSubstr("longer than 50 ms"));
}

// With std::string's search each of these takes minutes; in linear time a second at most, even with
// sanitizers on a slow machine.
TEST(JinjaInterpreter, SearchingATextTakesNoLongerThanItsBytes) {
  RenderOptions options;
  options.bounds.time = std::chrono::seconds(60);
  const std::string texts =
      "{% set x = 'b' * 8000000 %}{% set y = 'b' * 4000000 %}{% set z = 'c' * 2000000 ~ 'b' %}";
  for (const char* text : {"{{ y ~ 'c' in x }}", "{{ x.find(y ~ 'c') > 0 }}",
                           "{{ x.rfind('c' ~ y) > 0 }}", "{{ x.count(y ~ 'c') > 0 }}",
                           "{{ x.split(y ~ 'c') == 0 }}", "{{ x.rsplit(y ~ 'c', 1) == 0 }}",
                           "{{ x.replace(y ~ 'c', '') == y }}", "{{ x.strip(z) == x }}"}) {
    EXPECT_EQ(rendered(texts + text, {}, options), "False") << text;
  }
}

TEST(JinjaInterpreter, AnUndefinedValueQuotesNotMoreThanALine) {
  const Value value = Value::undefined(std::string(1'000'000, 'x'));
  EXPECT_LT(value.undefined_what().size(), 300U);
  EXPECT_EQ(Value::undefined("'x' is undefined").undefined_what(), "'x' is undefined");
}

TEST(JinjaInterpreter, IntegersDoNotOverflow) {
  const std::string least = "{% set x = -1073741824 * 1073741824 * 8 %}";
  for (const char* text : {"{{ -x }}", "{{ x|abs }}", "{{ [x, -1]|sum }}"}) {
    EXPECT_THAT(rendered(least + text), ::testing::HasSubstr("integer is too large")) << text;
  }
  EXPECT_EQ(rendered(least + "{{ x }} {{ -3 }} {{ (-3)|abs }} {{ 3|abs }} {{ [1, 2.5]|sum }} "
                             "{{ 'a b'.split(' ', x) }}"),
            "-9223372036854775808 -3 3 3 3.5 ['a', 'b']");
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
