#include "yona/decode/translation_progress.h"

#include <gmock/gmock.h>

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct FakeTerminal {
  std::string drawn;
  double seconds = 100;
  int width = 100;

  TerminalPort port() {
    return {.write = [this](std::string_view bytes) { drawn += bytes; },
            .columns = [this] { return width; },
            .clock = [this] { return seconds; },
            .unicode = true};
  }
};

TEST(TranslationProgress, ShowsShareSpeedAndTimeLeftOfAFile) {
  FakeTerminal terminal;
  TranslationProgress progress(terminal.port(), 1000);
  terminal.seconds += 10;
  progress.add(50, 250);
  EXPECT_THAT(terminal.drawn, HasSubstr(" 25 %"));
  EXPECT_THAT(terminal.drawn, HasSubstr("50 lines  5 lines/s"));
  EXPECT_THAT(terminal.drawn, HasSubstr("30 s left"));
  EXPECT_EQ(progress.lines(), 50U);
  EXPECT_EQ(progress.seconds(), 10);
}

TEST(TranslationProgress, ShowsNoShareOfWhatHasNoKnownEnd) {
  FakeTerminal terminal;
  TranslationProgress progress(terminal.port(), 0);
  terminal.seconds += 2;
  progress.add(2000, 99);
  EXPECT_THAT(terminal.drawn, HasSubstr("2,000 lines  1,000 lines/s"));
  EXPECT_THAT(terminal.drawn, Not(HasSubstr("%")));
}

TEST(TranslationProgress, ShowsHowFarAWindowIsTenTimesASecond) {
  FakeTerminal terminal;
  TranslationProgress progress(terminal.port(), 1000);
  terminal.seconds += 10;
  progress.add(50, 250);
  terminal.drawn.clear();
  progress.show(0.5, 100, 500);
  EXPECT_THAT(terminal.drawn, HasSubstr(" 50 %"));
  EXPECT_THAT(terminal.drawn, HasSubstr("100 lines  10 lines/s"));
  EXPECT_EQ(progress.lines(), 50U);  // what is under way is not done
  terminal.drawn.clear();
  terminal.seconds += 0.05;
  progress.show(0.6, 100, 500);
  EXPECT_EQ(terminal.drawn, "");
  terminal.seconds += 0.1;
  progress.show(0.7, 100, 500);
  EXPECT_THAT(terminal.drawn, HasSubstr(" 60 %"));
}

TEST(TranslationProgress, LeavesAnEmptyLineBehind) {
  FakeTerminal terminal;
  {
    TranslationProgress progress(terminal.port(), 10);
    progress.add(1, 10);
  }
  EXPECT_TRUE(terminal.drawn.ends_with("\r\x1b[K"));
}

TEST(TranslationProgress, DrawsNothingWithoutATerminalOrBeforeTheFirstLine) {
  FakeTerminal terminal;
  { const TranslationProgress progress(terminal.port(), 10); }
  EXPECT_EQ(terminal.drawn, "");
  TranslationProgress silent(std::nullopt, 10);
  silent.add(3, 5);
  EXPECT_EQ(silent.lines(), 3U);
}

TEST(TranslationProgress, DrawsNothingThatWouldWrap) {
  FakeTerminal terminal;
  terminal.width = 20;
  TranslationProgress progress(terminal.port(), 1000);
  terminal.seconds += 1;
  progress.add(50, 250);
  EXPECT_EQ(terminal.drawn, "");
}

}  // namespace
}  // namespace yona
