#include "yona/inspect/svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/inspect/colour.h"

#include "tests/harness/temp_dir.h"
#include "tests/inspect/small_maps.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::int64_t count(const std::string& text, const std::string& part) {
  std::int64_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(SvgMatrix, DrawsOneHeadWithItsTokens) {
  const std::string svg = svg_matrix(
      heat_maps(small_maps(), {.layer = 0, .heads = AttentionChoice::Heads::one, .head = 1}));
  EXPECT_THAT(svg, HasSubstr("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_THAT(svg, HasSubstr(">cross attention, layer 1, head 2</text>"));
  EXPECT_THAT(svg, HasSubstr(">Viertel</text>"));
  EXPECT_THAT(svg, HasSubstr("rotate(-45"));
  EXPECT_EQ(count(svg, "fill-opacity=\"1\"/>"), 3);  // one cell for each row
}

TEST(SvgMatrix, DrawsManyHeadsAsAGrid) {
  const std::string svg = svg_matrix(heat_maps(small_maps(), {}));
  EXPECT_EQ(count(svg, "<rect"), 1 + 4 * (3 + 1) + 6);  // paper, four panels, the scale
  EXPECT_THAT(svg, HasSubstr(">layer 2, head 1</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("Viertel")));
}

TEST(SvgMatrix, EscapesWhateverTheTokensAre) {
  const std::vector<std::string> odd{"<script>", "&amp;", "\"'", "\x01", "\xFF", "</s>"};
  const std::string svg = svg_matrix(
      heat_maps(small_maps(odd, odd), {.layer = 0, .heads = AttentionChoice::Heads::mean}));
  EXPECT_THAT(svg, HasSubstr(">&lt;script&gt;</text>"));
  EXPECT_THAT(svg, HasSubstr(">&amp;amp;</text>"));
  EXPECT_THAT(svg, HasSubstr(">&quot;&#39;</text>"));
  EXPECT_THAT(svg, HasSubstr(">␁</text>"));
  EXPECT_THAT(svg, HasSubstr(">�</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(SvgMatrix, RefusesAFigureThatNoViewerShows) {
  const std::vector<std::string> tokens(800, "x");
  HeatMap map{"large", "layer 1, head 1", tokens, tokens, {}};
  map.weights.assign(tokens.size() * tokens.size(), 0.0F);
  EXPECT_LT(svg_matrix({map}).size(), 110000U);
  map.weights.assign(tokens.size() * tokens.size(), 0.5F);
  EXPECT_EQ(message_of<InvalidArgument>([&] { svg_matrix({map}); }),
            "attention: a figure of 640000 cells is too large, 400000 at most; choose with --layer "
            "and --head, or a shorter sentence");
}

TEST(SvgLines, DrawALineForEachWeightInTheColourOfItsHead) {
  const std::string svg = svg_lines(small_maps(), {.part = AttentionPart::encoder});
  EXPECT_THAT(svg, HasSubstr(">encoder self-attention, layer 2</text>"));
  EXPECT_EQ(count(svg, "<line "), 6);
  EXPECT_EQ(count(svg, head_colour(0, 2)), 2);  // its lines and the legend
  EXPECT_EQ(count(svg, ">quarter</text>"), 2);  // on both sides
}

TEST(SvgLines, DrawOneHeadOrOneToken) {
  const AttentionChoice one{.layer = 0, .heads = AttentionChoice::Heads::one, .head = 1};
  EXPECT_EQ(count(svg_lines(small_maps(), one), "<line "), 3);
  EXPECT_EQ(count(svg_lines(small_maps(), one, 2), "<line "), 1);
  EXPECT_EQ(count(svg_lines(small_maps(), {}, 2), "<line "), 2);
}

TEST(SvgLines, SayWhatTheyCannotDraw) {
  EXPECT_EQ(message_of<InvalidArgument>(
                [] { svg_lines(small_maps(), {.heads = AttentionChoice::Heads::mean}); }),
            "attention: lines have a colour for each head; choose --head N or all, or --style "
            "matrix");
  EXPECT_EQ(message_of<InvalidArgument>([] { svg_lines(small_maps(), {}, 3); }),
            "attention: there is no token 4; there are 3");
  AttentionMaps many = small_maps(std::vector<std::string>(400, "x"));
  for (AttentionMap& map : many.maps) {
    map.weights.assign(map.weights.size(), 0.5F);
  }
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { svg_lines(many, {.part = AttentionPart::encoder}); }),
      HasSubstr("a figure of 320000 lines is too large"));
}

TEST(HeadColour, DiffersForEachHead) {
  for (const std::int64_t heads : {1, 8, 10, 16, 32}) {
    std::vector<std::string> colours;
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::string colour = head_colour(head, heads);
      EXPECT_EQ(colour.size(), 7U);
      EXPECT_EQ(std::count(colours.begin(), colours.end(), colour), 0) << colour;
      colours.push_back(colour);
    }
  }
}

}  // namespace
}  // namespace yona::testing
