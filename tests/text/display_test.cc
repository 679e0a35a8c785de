#include "yona/text/display.h"

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

TEST(Display, CountsColumnsOfATerminal) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("quarter"), 7);
  EXPECT_EQ(display_width("été"), 3);
  EXPECT_EQ(display_width("e\xCC\x81"), 1);  // e and a combining accent
  EXPECT_EQ(display_width("七点"), 4);
  EXPECT_EQ(display_width("🎈"), 2);
  EXPECT_EQ(display_width("\xFF"), 1);
}

TEST(Display, CutsAtACharacterThatFits) {
  EXPECT_EQ(cut_to_width("quarter", 7), "quarter");
  EXPECT_EQ(cut_to_width("quarter", 4), "qua…");
  EXPECT_EQ(cut_to_width("七点钟", 4), "七…");
  EXPECT_EQ(cut_to_width("quarter", 1), "…");
}

TEST(Display, ShowsControlsAsPictures) {
  EXPECT_EQ(printable("a\x1b[31m\n\x7F"), "a␛[31m␊␡");
  EXPECT_EQ(printable(std::string("\0", 1)), "␀");
  EXPECT_EQ(printable("\xC2\x85\xE2\x80\xAE\xE2\x80\xA8"), "���");  // U+0085, U+202E, U+2028
  EXPECT_EQ(printable("\xC3"), "�");
  EXPECT_EQ(printable("שלום 時 🎈"), "שלום 時 🎈");
}

TEST(Display, LabelsPieces) {
  EXPECT_EQ(piece_label("▁quarter"), "quarter");
  EXPECT_EQ(piece_label("uarter"), "uarter");
  EXPECT_EQ(piece_label("▁"), "▁");
  EXPECT_EQ(piece_label("</s>"), "</s>");
  EXPECT_EQ(piece_label("<0x71>"), "q");
  EXPECT_EQ(piece_label("<0x0A>"), "<0x0A>");
  EXPECT_EQ(piece_label("<0xzz>"), "<0xzz>");
}

}  // namespace
}  // namespace yona::testing
