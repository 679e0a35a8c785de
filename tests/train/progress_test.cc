#include "yona/train/progress.h"

#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/json.h"
#include "yona/train/progress_bar.h"
#include "yona/train/progress_json.h"
#include "yona/train/progress_lines.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

UpdateReport update(std::int64_t number, std::int64_t total = 1000) {
  UpdateReport report;
  report.update = number;
  report.updates = total;
  report.epoch = 1;
  report.loss = 3.0;
  report.nll = 2.0;
  report.target_tokens = 500;
  report.learning_rate = 0.00031;
  report.gradient_norm = 1.25;
  report.step_seconds = 0.25;
  report.seconds = 0.5 * static_cast<double>(number);
  return report;
}

RunPlan plan() {
  RunPlan result;
  result.model = "tiny";
  result.parameters = 2100000;
  result.source_vocabulary = result.target_vocabulary = 8000;
  result.pairs = 29000;
  result.peak_memory_bytes = 1200000000;
  result.device_memory_bytes = 16000000000;
  result.updates = 1000;
  result.batch_tokens = 4096;
  result.threads = 2;
  result.output = "runs/a";
  return result;
}

// --- the meter -----------------------------------------------------------------------------

TEST(ProgressMeter, AveragesTheWindowByTokens) {
  ProgressMeter meter(2);
  UpdateReport first = update(1);
  first.loss = 100.0;
  meter.add(first);
  UpdateReport second = update(2);
  second.loss = 4.0;
  second.target_tokens = 300;
  meter.add(second);
  UpdateReport third = update(3);
  third.loss = 2.0;
  third.target_tokens = 100;
  meter.add(third);
  const ProgressSummary summary = meter.summary();
  EXPECT_DOUBLE_EQ(summary.loss, (300 * 4.0 + 100 * 2.0) / 400);
  EXPECT_DOUBLE_EQ(summary.tokens_per_second, 400 / 0.5);
  EXPECT_EQ(summary.last.update, 3);
}

TEST(ProgressMeter, ExpectsTheRestToGoAsTheRunWentSoFar) {
  ProgressMeter meter(10);
  meter.begin(900);
  UpdateReport report = update(910);
  report.seconds = 20.0;  // ten updates of two seconds, validation counted
  meter.add(report);
  EXPECT_DOUBLE_EQ(meter.summary().seconds_left.value(), 180.0);
  report.updates = 0;
  meter.add(report);
  EXPECT_FALSE(meter.summary().seconds_left.has_value());
}

TEST(ProgressMeter, LeavesSkippedUpdatesOutOfTheLoss) {
  ProgressMeter meter(10);
  UpdateReport skipped = update(1);
  skipped.loss = skipped.nll = std::numeric_limits<double>::quiet_NaN();
  skipped.skipped = true;
  meter.add(skipped);
  EXPECT_TRUE(std::isnan(meter.summary().loss));
  meter.add(update(2));
  EXPECT_DOUBLE_EQ(meter.summary().loss, 3.0);
  EXPECT_DOUBLE_EQ(meter.summary().tokens_per_second, 2000.0);
}

TEST(ProgressMeter, SaysNothingBeforeTheFirstUpdate) {
  EXPECT_EQ(ProgressMeter(5).summary().last.update, 0);
}

// --- plain lines ---------------------------------------------------------------------------

class Lines {
 public:
  LineReporter::Write writer() {
    return [this](MessageLevel level, std::string_view line) {
      lines.push_back(fmt::format("{}|{}", static_cast<int>(level), line));
    };
  }
  std::vector<std::string> lines;
};

TEST(LineReporter, PrintsEveryFewUpdatesAndTheLast) {
  Lines out;
  LineReporter reporter(out.writer(), 4);
  for (std::int64_t i = 1; i <= 10; ++i) {
    reporter.updated(update(i, 10));
  }
  ASSERT_EQ(out.lines.size(), 3U);
  EXPECT_EQ(out.lines[0],
            "0|update 4/10  epoch 2  loss 3.0000  ppl 7.389  2,000 tok/s  lr 0.00031  gradient "
            "1.25  3 s left");
  EXPECT_THAT(out.lines[1], HasSubstr("update 8/10"));
  EXPECT_THAT(out.lines[2], HasSubstr("update 10/10"));
}

TEST(LineReporter, BeginsWithWhatTheRunWillBe) {
  EXPECT_THAT(lines_of(plan()),
              ElementsAre("tiny: 2.1 M parameters, vocabulary 8,000; 29,000 sentence pairs",
                          "cpu, 2 threads, f32; batches of 4,096 tokens; peak memory about 1.2 GB "
                          "of 16.0 GB",
                          "training for 1,000 updates into runs/a"));
  RunPlan other = plan();
  other.frozen_parameters = 1000;
  other.target_vocabulary = 5;
  other.accumulate = 4;
  other.threads = 1;
  other.device_memory_bytes = 0;
  other.first_update = 500;
  EXPECT_THAT(lines_of(other),
              ElementsAre("tiny: 2.1 M parameters (1.0 k of them frozen), vocabulary 8,000 and 5; "
                          "29,000 sentence pairs",
                          "cpu, 1 thread, f32; batches of 4,096 tokens, 4 for each update; peak "
                          "memory about 1.2 GB",
                          "resuming after update 500, up to 1,000 updates into runs/a"));
  other.updates = other.peak_memory_bytes = 0;
  EXPECT_EQ(lines_of(other)[2], "resuming after update 500, into runs/a");
}

TEST(LineReporter, TellsValidationsCheckpointsMessagesAndTheEnd) {
  Lines out;
  LineReporter reporter(out.writer(), 50);
  reporter.validated({.set = "dev",
                      .update = 1500,
                      .loss = 1.5,
                      .nats_per_byte = 0.31234,
                      .target_tokens = 10,
                      .seconds = 1,
                      .is_best = true});
  reporter.saved(1500, "runs/a/checkpoints/step-1500");
  reporter.message(MessageLevel::warning, "odd");
  FinishReport end{.updates = 1500, .best_loss = 1.5, .best_update = 1500, .seconds = 185};
  end.output = "runs/a";
  reporter.finished(end);
  end.stopped_early = true;
  end.best_loss = std::numeric_limits<double>::quiet_NaN();
  reporter.finished(end);
  end.interrupted = true;
  reporter.finished(end);
  EXPECT_THAT(
      out.lines,
      ElementsAre("0|dev at update 1,500: loss 1.5000  ppl 4.482  0.3123 nats/byte  best so far",
                  "0|saved update 1,500 in runs/a/checkpoints/step-1500", "1|odd",
                  "0|done after 1,500 updates in 3 min 05 s; best validation loss 1.5000 at update "
                  "1,500; the model is in runs/a",
                  "0|stopped early after 1,500 updates in 3 min 05 s; the model is in runs/a",
                  "0|interrupted and saved after update 1,500; go on with: yona train --output "
                  "runs/a --resume"));
}

// --- JSON ----------------------------------------------------------------------------------

class JsonLines {
 public:
  JsonReporter::Write writer() {
    return [this](std::string_view line) {
      EXPECT_EQ(line.find('\n'), std::string_view::npos);
      lines.push_back(Json::parse(line));
    };
  }
  std::vector<Json> lines;
};

TEST(JsonReporter, WritesOneObjectForEachEvent) {
  JsonLines out;
  JsonReporter reporter(out.writer(), 2);
  reporter.started(plan());
  reporter.updated(update(1));
  reporter.updated(update(2));
  reporter.validated({.set = "valid", .update = 2, .loss = 1.5});
  reporter.saved(2, "x/step-2");
  reporter.message(MessageLevel::error, "two\nlines \xff");
  reporter.finished({.updates = 2, .best_loss = std::numeric_limits<double>::quiet_NaN()});
  std::vector<std::string> events;
  for (const Json& line : out.lines) {
    events.push_back(line.at("event"));
  }
  ASSERT_THAT(events, ElementsAre("started", "update", "valid", "saved", "message", "finished"));
  EXPECT_EQ(out.lines[0].at("parameters"), 2100000);
  EXPECT_EQ(out.lines[1].at("update"), 2);
  EXPECT_DOUBLE_EQ(out.lines[1].at("tokens_per_second"), 2000.0);
  EXPECT_DOUBLE_EQ(out.lines[1].at("perplexity"), std::exp(2.0));
  EXPECT_DOUBLE_EQ(out.lines[1].at("seconds_left"), 0.5 * 998);
  EXPECT_EQ(out.lines[2].at("best"), false);
  EXPECT_EQ(out.lines[4].at("level"), "error");
  EXPECT_TRUE(out.lines[5].at("best_loss").is_null());
}

TEST(JsonReporter, WritesNullForWhatIsNotFiniteAndEverySkippedUpdate) {
  JsonLines out;
  JsonReporter reporter(out.writer(), 100);
  UpdateReport bad = update(7, 0);
  bad.loss = bad.nll = std::numeric_limits<double>::infinity();
  bad.skipped = true;
  reporter.updated(bad);
  ASSERT_EQ(out.lines.size(), 1U);
  EXPECT_TRUE(out.lines[0].at("loss").is_null());
  EXPECT_TRUE(out.lines[0].at("seconds_left").is_null());
  EXPECT_EQ(out.lines[0].at("skipped"), true);
}

// --- the bar -------------------------------------------------------------------------------

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

TEST(MakeReporter, MakesOneForEveryStyle) {
  for (const ProgressStyle style :
       {ProgressStyle::bar, ProgressStyle::plain, ProgressStyle::quiet, ProgressStyle::json}) {
    EXPECT_NE(make_reporter(style, 10), nullptr);
  }
}

TEST(MakeReporter, QuietStillWarns) {
  const auto quiet = make_reporter(ProgressStyle::quiet, 10);
  ::testing::internal::CaptureStderr();
  quiet->started(plan());
  quiet->updated(update(10));
  quiet->message(MessageLevel::info, "fine");
  quiet->message(MessageLevel::warning, "odd");
  quiet->finished({});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "warning: odd\n");
}

}  // namespace
}  // namespace yona
