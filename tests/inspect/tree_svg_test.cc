#include "yona/inspect/tree_svg.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/trees/tree_reader.h"

namespace yona {
namespace {

using ::testing::HasSubstr;

std::size_t occurrences(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(TreeSvg, HasALabelForEachNodeAndALineToEachChild) {
  const std::string svg = svg_tree(tree_of("(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))"));
  EXPECT_EQ(occurrences(svg, "<line "), 5U);
  EXPECT_EQ(occurrences(svg, "<text "), 9U);
  EXPECT_THAT(svg, HasSubstr(">NP</text>"));
  EXPECT_THAT(svg, HasSubstr(">sleeps</text>"));
  EXPECT_TRUE(svg.starts_with("<svg xmlns="));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(TreeSvg, EscapesText) {
  EXPECT_THAT(svg_tree(tree_of("(S (NN <&>))")), HasSubstr(">&lt;&amp;&gt;</text>"));
}

TEST(TreeSvg, RefusesTreesWithoutAPicture) {
  EXPECT_THROW(svg_tree(Tree()), InvalidArgument);
  std::string wide = "(S";
  for (int i = 0; i < 3000; ++i) {
    wide += " (NN a)";
  }
  EXPECT_THROW(svg_tree(tree_of(wide + ")")), InvalidArgument);
}

}  // namespace
}  // namespace yona
