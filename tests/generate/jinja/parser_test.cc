#include "yona/generate/jinja/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generate/jinja/rendered.h"

namespace yona::jinja {
namespace {

TEST(JinjaParser, RefusesWhatItDoesNotSupportByName) {
  using testing::HasSubstr;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"{% include 'x' %}", "line 1: the block 'include' is not supported"},
      {"\n{% call x() %}{% endcall %}", "line 2: the block 'call' is not supported"},
      {"{% do x %}", "the block 'do' is not supported"},
      {"{% for x in y recursive %}{% endfor %}", "recursive loops are not supported"},
      {"{% for x in y %}{% macro m() %}{% endmacro %}{% endfor %}", "a macro within a loop"},
      {"{{ f(*x) }}", "arguments with '*' are not supported"},
      {"{% if x %}", "the block has no endif"},
      {"{% for x in y %}", "the block has no endfor"},
      {"{% if x %}{% endfor %}", "the block has no endif"},
      {"{% endif %}", "'endif' has no beginning"},
      {"{% break %}", "break outside of a loop"},
      {"{{ x y }}", "'}}' is expected, not 'y'"},
      {"{% set 3 = 4 %}", "a name is expected"},
      {"{{ }}", "an expression is expected"},
      {"{{ x[] }}", "a subscript is expected"}};
  for (const auto& [source, what] : cases) {
    EXPECT_THAT(rendered(source), HasSubstr(what)) << source;
  }
}

TEST(JinjaParser, DeepNestingIsRefused) {
  std::string blocks, brackets;
  for (int i = 0; i < 300; ++i) {
    blocks += "{% if x %}";
    brackets += "[";
  }
  brackets += std::string(300, ']');
  EXPECT_THAT(rendered(blocks), testing::HasSubstr("nested deeper"));
  EXPECT_THAT(rendered("{{ " + brackets + " }}"), testing::HasSubstr("nested deeper"));
  EXPECT_THAT(rendered("{{ " + std::string(3000, '-') + "1 }}"),
              testing::HasSubstr("nested deeper"));
  EXPECT_THAT(rendered(std::string((1 << 20) + 1, 'x')), testing::HasSubstr("at most 1048576"));
}

}  // namespace
}  // namespace yona::jinja
