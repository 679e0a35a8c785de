#include "yona/train/progress_bar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/progress_events.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::plan;
using testing::update;

// Follows what a terminal would show: carriage return, erase to the end, line break, colours off.
class FakeTerminal {
 public:
  TerminalPort port() {
    return {.write = [this](std::string_view bytes) { take(bytes); },
            .columns = [this] { return columns; },
            .clock = [this] { return now; },
            .colour = colour,
            .unicode = false};
  }

  int columns = 100;
  double now = 0.0;
  bool colour = false;
  int writes = 0;
  std::string raw;
  std::vector<std::string> lines{""};  // the last is where the cursor stands

 private:
  void take(std::string_view bytes) {
    ++writes;
    raw += bytes;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == '\r') {
        column_ = 0;
      } else if (bytes[i] == '\n') {
        lines.emplace_back();
        column_ = 0;
      } else if (bytes.substr(i).starts_with("\x1b[K")) {
        lines.back().resize(column_);
        i += 2;
      } else {
        lines.back().resize(std::max(lines.back().size(), column_ + 1), ' ');
        lines.back()[column_++] = bytes[i];
        EXPECT_LT(static_cast<int>(column_), columns) << "the line wraps: " << lines.back();
      }
    }
  }
  std::size_t column_ = 0;
};

TEST(BarReporter, RedrawsOneLineAtMostTenTimesASecond) {
  FakeTerminal terminal;
  BarReporter bar(terminal.port(), 50);
  for (std::int64_t i = 1; i <= 500; ++i) {
    terminal.now = 0.01 * static_cast<double>(i);
    bar.updated(update(i));
  }
  EXPECT_LE(terminal.writes, 51);
  EXPECT_GE(terminal.writes, 40);
  ASSERT_EQ(terminal.lines.size(), 1U);
  EXPECT_THAT(terminal.lines[0], HasSubstr("/1,000  "));
  EXPECT_THAT(terminal.lines[0], HasSubstr("  epoch 2  loss 3.000  ppl 7.389  2,000 tok/s  lr "
                                           "0.00031  "));
  EXPECT_THAT(terminal.lines[0], HasSubstr(" left"));
}

TEST(BarReporter, PrintsEverythingElseAboveTheBar) {
  FakeTerminal terminal;
  BarReporter bar(terminal.port(), 50);
  bar.started(plan());
  bar.updated(update(1));
  bar.message(MessageLevel::warning, "odd");
  terminal.now = 1;
  bar.updated(update(2));
  bar.validated({.set = "valid", .update = 2, .loss = 1.0, .is_best = true});
  ASSERT_EQ(terminal.lines.size(), 6U);
  EXPECT_THAT(terminal.lines[0], HasSubstr("tiny: 2.1 M parameters"));
  EXPECT_EQ(terminal.lines[3], "warning: odd");
  EXPECT_THAT(terminal.lines[4], HasSubstr("valid at update 2: loss 1.0000"));
  EXPECT_THAT(terminal.lines[5], HasSubstr("2/1,000"));
  FinishReport end{.updates = 2, .best_loss = 1.0, .best_update = 2, .seconds = 1};
  end.output = "runs/a";
  bar.finished(end);
  EXPECT_THAT(terminal.lines[5], HasSubstr("done after 2 updates"));
  EXPECT_EQ(terminal.lines[6], "");
}

TEST(BarReporter, LeavesNoHalfDrawnLineBehind) {
  FakeTerminal terminal;
  {
    BarReporter bar(terminal.port(), 50);
    bar.updated(update(1));
    EXPECT_NE(terminal.lines[0], "");
  }
  EXPECT_THAT(terminal.lines, ElementsAre(""));
}

TEST(BarReporter, ColoursOnlyWhereColoursAreWelcome) {
  FakeTerminal terminal;
  BarReporter plain(terminal.port(), 50);
  plain.message(MessageLevel::error, "bad");
  EXPECT_EQ(terminal.raw, "error: bad\n");
  terminal.raw.clear();
  terminal.colour = true;
  BarReporter coloured(terminal.port(), 50);
  coloured.message(MessageLevel::error, "bad");
  coloured.message(MessageLevel::info, "fine");
  EXPECT_EQ(terminal.raw, "\x1b[31merror: bad\x1b[0m\nfine\n");
}

TEST(BarLine, LeavesOutWhatMattersLeastInNarrowTerminals) {
  ProgressMeter meter(50);
  meter.add(update(123));
  const ProgressSummary summary = meter.summary();
  for (int columns = 0; columns <= 200; ++columns) {
    EXPECT_LE(static_cast<int>(bar_line(summary, columns, false).size()), columns);
  }
  EXPECT_EQ(
      bar_line(summary, 120, false),
      "123/1,000  ###...........................  epoch 2  loss 3.000  ppl 7.389  2,000 tok/s  "
      "lr 0.00031  7 min 19 s left");
  EXPECT_EQ(bar_line(summary, 64, false),
            "123/1,000  loss 3.000  ppl 7.389  2,000 tok/s  7 min 19 s left");
  EXPECT_EQ(bar_line(summary, 37, false), "123/1,000  #.............  loss 3.000");
  EXPECT_EQ(bar_line(summary, 5, false), "123/1");
  EXPECT_THAT(bar_line(summary, 120, true), HasSubstr("━━━───"));
}

TEST(BarLine, HasNoBarWithoutANumberOfUpdates) {
  ProgressMeter meter(50);
  meter.add(update(123, 0));
  EXPECT_EQ(bar_line(meter.summary(), 120, false),
            "update 123  epoch 2  loss 3.000  ppl 7.389  2,000 tok/s  lr 0.00031");
}

}  // namespace
}  // namespace yona
