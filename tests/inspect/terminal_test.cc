#include "yona/inspect/terminal.h"

#include <sstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/text/display.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HeatMap small() {
  return {"title", "", {"ein", "Viertel"}, {"a", "quarter", "</s>"}, {1, 0, 0, 0, 0.25F, 0.75F}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(Terminal, DrawsBlocksUnderTheTokensThatTheyBelongTo) {
  EXPECT_EQ(draw_terminal(small(), {}),
            "title\n"
            "        a  quarter </s>\n"
            "    ein ██             \n"
            "Viertel    ▒▒▒▒▒▒▒ ▓▓▓▓\n");
}

TEST(Terminal, DrawsWithAsciiWhereNothingElseCanBeShown) {
  const std::string drawn = draw_terminal(small(), {.unicode = false});
  EXPECT_THAT(drawn, HasSubstr("Viertel    +++++++ ****\n"));
}

TEST(Terminal, ShadesByColourOfTheDepthThatThereIs) {
  const std::string palette = draw_terminal(small(), {.colours = Colours::palette});
  EXPECT_THAT(palette, HasSubstr("\x1b[48;5;"));
  EXPECT_THAT(palette, Not(HasSubstr("█")));
  const std::string full = draw_terminal(small(), {.colours = Colours::full});
  EXPECT_THAT(full, HasSubstr("\x1b[48;2;252;232;140m  \x1b[0m"));  // the brightest, two wide
}

TEST(Terminal, CountsWideCharactersAsTwoColumns) {
  const HeatMap map{"", "", {"七", "é"}, {"时候", "e"}, {1, 0, 0, 1}};
  EXPECT_EQ(draw_terminal(map, {}),
            "   时候 e\n"
            "七 ████   \n"
            " é      ██\n");
}

TEST(Terminal, ContinuesInPanelsWhereTheTerminalIsTooNarrow) {
  HeatMap map{"a title that is longer than the terminal", "", {}, {}, {}};
  for (int i = 0; i < 12; ++i) {
    map.rows.push_back("a row with a very long name " + std::to_string(i));
    map.columns.push_back("column" + std::to_string(i));
  }
  map.weights.assign(144, 0.5F);
  for (const int columns : {20, 33, 80}) {
    const std::vector<std::string> lines = lines_of(draw_terminal(map, {.columns = columns}));
    EXPECT_GT(lines.size(), 13U);
    for (const std::string& line : lines) {
      EXPECT_LE(display_width(line), columns) << line;
    }
  }
}

TEST(Terminal, DrawsOneToken) {
  EXPECT_EQ(draw_terminal({"", "", {"x"}, {"y"}, {1}}, {}), "  y\nx ██\n");
}

TEST(Terminal, StyleOfAPipeHasNoColours) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(terminal_style(ends[1]).colours, Colours::none);
  EXPECT_TRUE(terminal_style(ends[1]).unicode);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace yona::testing
