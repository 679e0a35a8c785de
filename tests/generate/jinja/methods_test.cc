#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generate/jinja/rendered.h"

namespace yona::jinja {
namespace {

using testing::HasSubstr;

TEST(JinjaMethods, AreThoseOfPython) {
  EXPECT_EQ(rendered("{{ 'aéb'.find('b') }}{{ 'abab'.rfind('b') }}{{ 'x'.find('y') }}"), "23-1");
  EXPECT_EQ(
      rendered(
          "{{ 'abc'.removeprefix('a').removesuffix('c') }}{{ '12'.isdigit() }}{{ ' '.isspace() }}"),
      "bTrueTrue");
  EXPECT_EQ(rendered("{{ '{0}{1}{0} {{x}}'.format('a', 'b') }}"), "aba {x}");
  EXPECT_EQ(rendered("{{ [1, 2, 1].count(1) }}{{ [5, 6].index(6) }}{{ {'a': 1}.values() | list }}"),
            "21[1]");
  EXPECT_EQ(rendered("{{ {'a': 1}.get('b') }}{{ 'Ab'.isupper() }}{{ 'AB'.isupper() }}"),
            "NoneFalseTrue");
}

TEST(JinjaMethods, LettersAndDigitsAreThoseOfUnicode) {
  EXPECT_EQ(
      rendered("{{ 'é'.isalpha() }}{{ '²'.isdigit() }}{{ 'é1'.isalnum() }}{{ '-'.isalnum() }}"),
      "TrueTrueTrueFalse");
}

TEST(JinjaMethods, ThoseThatChangeAValueAreRefused) {
  EXPECT_THAT(rendered("{{ [1].append(2) }}"), HasSubstr("append() changes a value"));
  EXPECT_THAT(rendered("{{ {'a': 1}.pop('a') }}"), HasSubstr("pop() changes a value"));
  EXPECT_THAT(rendered("{{ {}.update({}) }}"), HasSubstr("update() changes a value"));
}

TEST(JinjaMethods, WrongArgumentsAreNamed) {
  EXPECT_THAT(rendered("{{ 'a'.split('') }}"), HasSubstr("split() with an empty separator"));
  EXPECT_THAT(rendered("{{ 'a'.startswith(1) }}"), HasSubstr("startswith needs a text, not 'int'"));
  EXPECT_THAT(rendered("{{ '-'.join([1]) }}"), HasSubstr("join needs a text"));
  EXPECT_THAT(rendered("{{ '{:>3}'.format(1) }}"),
              HasSubstr("format() with '{:>3}' is not supported"));
  EXPECT_THAT(rendered("{{ 'a'.startswith('a', 1) }}"),
              HasSubstr("startswith() with more than 1 arguments is not supported"));
  EXPECT_THAT(rendered("{{ 'a\nb'.splitlines(true) }}"),
              HasSubstr("splitlines() with more than 0 arguments is not supported"));
  EXPECT_THAT(rendered("{{ '{'.format(1) }}"), HasSubstr("a '{' without '}'"));
  EXPECT_THAT(rendered("{{ '}'.format(1) }}"), HasSubstr("a '}' without '{'"));
  EXPECT_THAT(rendered("{{ '{}'.format() }}"), HasSubstr("format() needs the argument"));
  EXPECT_THAT(rendered("{{ [1].index(2) }}"), HasSubstr("2 is not in the list"));
}

}  // namespace
}  // namespace yona::jinja
