#include "yona/generate/jinja/expression_parser.h"

#include <gtest/gtest.h>

#include "tests/generate/jinja/rendered.h"

namespace yona::jinja {
namespace {

TEST(JinjaExpressionParser, HasJinja2sPrecedence) {
  EXPECT_EQ(rendered("{{ 1 + 2 * 3 }}"), "7");
  EXPECT_EQ(rendered("{{ 'a' + 'b' | upper }}"), "aB");
  EXPECT_EQ(rendered("{{ 1 + 2 ~ 3 }}"),
            "error: chat template: line 1: 'int' and 'str' cannot be added");
  EXPECT_EQ(rendered("{{ not 1 == 2 and 3 }}"), "3");
  EXPECT_EQ(rendered("{{ 0 or 'x' if 1 else 'y' }}"), "x");
  EXPECT_EQ(rendered("{{ 1 is odd and 2 is even }}"), "True");
  EXPECT_EQ(rendered("{{ -2 ** 2 }}"), "4");
  EXPECT_EQ(rendered("{{ 'a' 'b' }}"), "ab");
  EXPECT_EQ(rendered("{{ x is not defined }}"), "True");
  EXPECT_EQ(rendered("{{ 1 if x is defined else 2 }}"), "2");
  EXPECT_EQ(rendered("{{ 2 not in [1] }}"), "True");
  EXPECT_EQ(rendered("{{ (1, 2)[1], {'a': 1,}['a'], [1,][0] }}"), "(2, 1, 1)");
  EXPECT_EQ(rendered("{{ [[1, 2], [3]].0.1 }}"), "2");
}

}  // namespace
}  // namespace yona::jinja
