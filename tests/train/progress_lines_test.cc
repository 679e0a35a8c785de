#include "yona/train/progress_lines.h"

#include <limits>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/train/progress_events.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::plan;
using testing::update;

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

TEST(LineReporter, SaysWhenEpochsEndTheRun) {
  RunPlan by_epochs = plan();
  by_epochs.epochs = 3;
  EXPECT_EQ(lines_of(by_epochs)[2], "training for 3 epochs, about 1,000 updates, into runs/a");
  by_epochs.epochs = 1;
  by_epochs.first_update = 500;
  EXPECT_EQ(lines_of(by_epochs)[2],
            "resuming after update 500, up to 1 epoch, about 1,000 updates, into runs/a");
}

TEST(LineReporter, BeginsWithWhatTheRunWillBe) {
  EXPECT_THAT(lines_of(plan()),
              ElementsAre("tiny: 2.1 M parameters, vocabulary 8,000; 29,000 sentence pairs",
                          "cpu, 2 threads, f32; batches of 4,096 tokens; peak memory about 1.2 GB "
                          "of 16.0 GB",
                          "training for 1,000 updates into runs/a"));
  RunPlan other = plan();
  other.frozen_parameters = 1000;
  other.output_vocabulary = 5;
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
  other.example_name = "trees";
  EXPECT_THAT(lines_of(other)[0], HasSubstr("; 29,000 trees"));
}

TEST(LineReporter, LeavesOutTheLossPerByteWhereThereIsNoText) {
  EXPECT_EQ(line_of(ValidationReport{.set = "dev", .update = 5, .loss = 1.5}),
            "dev at update 5: loss 1.5000  ppl 4.482");
}

TEST(LineReporter, SaysHowLongARunWillTakeAndHowToMakeItShorter) {
  RunTime time{.seconds = 3600, .passes = 12.34, .updates = 10000, .can_be_shorter = true};
  EXPECT_EQ(line_of(time),
            "this will take about 1 h 00 min (0.36 s an update, 12.3 passes over the data); --for "
            "20m or --updates N makes it shorter");
  time.seconds = 1000;
  EXPECT_THAT(line_of(time), ::testing::EndsWith("; --for 5m or --updates N makes it shorter"));
  time.seconds = 200;
  EXPECT_THAT(line_of(time), ::testing::EndsWith("; --for 1m or --updates N makes it shorter"));
  time.seconds = 90;
  EXPECT_THAT(line_of(time), ::testing::EndsWith("data); --updates N makes it shorter"));
  const RunTime rest{.seconds = 90, .passes = 2500, .updates = 100, .is_rest = true};
  EXPECT_EQ(line_of(rest),
            "the rest will take about 1 min 30 s (0.9 s an update, 2,500 passes over the data)");
}

TEST(LineReporter, TellsValidationsCheckpointsMessagesAndTheEnd) {
  Lines out;
  LineReporter reporter(out.writer(), 50);
  reporter.validated({.set = "dev",
                      .update = 1500,
                      .loss = 1.5,
                      .nats_per_byte = 0.31234,
                      .predictions = 10,
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

}  // namespace
}  // namespace yona
