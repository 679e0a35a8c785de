#include "yona/base/terminal.h"

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace yona::testing {
namespace {

// Sets variables for one test; an empty value is as good as none here.
class TerminalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG", "NO_COLOR", "COLORTERM", "COLUMNS"}) {
      ::unsetenv(name);
    }
    ::setenv("TERM", "xterm-256color", 1);
    file_ = ::open("/dev/null", O_WRONLY);
    screen_ = ::posix_openpt(O_RDWR | O_NOCTTY);
  }
  void TearDown() override {
    ::close(file_);
    ::close(screen_);
  }

  int file_ = -1;
  int screen_ = -1;
};

TEST_F(TerminalTest, AsksTheFirstVariableForTheCharacterSet) {
  EXPECT_FALSE(locale_is_utf8());
  ::setenv("LANG", "de_DE.UTF-8", 1);
  EXPECT_TRUE(locale_is_utf8());
  ::setenv("LC_ALL", "C", 1);
  EXPECT_FALSE(locale_is_utf8());
  ::setenv("LC_ALL", "C.utf8", 1);
  EXPECT_TRUE(locale_is_utf8());
}

TEST_F(TerminalTest, TakesColumnsFromTheEnvironmentWhereThereIsNoTerminal) {
  EXPECT_EQ(terminal_columns(file_), 80);
  ::setenv("COLUMNS", "123", 1);
  EXPECT_EQ(terminal_columns(file_), 123);
  ::setenv("COLUMNS", "wide", 1);
  EXPECT_EQ(terminal_columns(file_), 80);
}

TEST_F(TerminalTest, HasColoursOnlyOnATerminalThatMayShowThem) {
  EXPECT_EQ(terminal_colours(file_), Colours::none);
  if (screen_ < 0 || ::isatty(screen_) != 1) {
    GTEST_SKIP() << "no terminal can be made here (/dev/ptmx, /dev/pts)";
  }
  EXPECT_EQ(terminal_colours(screen_), Colours::palette);
  ::setenv("COLORTERM", "truecolor", 1);
  EXPECT_EQ(terminal_colours(screen_), Colours::full);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(terminal_colours(screen_), Colours::none);
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_EQ(terminal_colours(screen_), Colours::none);
}

}  // namespace
}  // namespace yona::testing
