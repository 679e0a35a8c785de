// What a run tells its reporter: times that leave nothing out, and where it is going to end.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/tasks/train.h"

#include "tests/train/toy_run.h"

namespace yona {
namespace {

// Keeps every event.
class Witness : public Reporter {
 public:
  void started(const RunPlan& given) override { plan = given; }
  void updated(const UpdateReport& report) override { updates.push_back(report); }
  void validated(const ValidationReport& report) override { validations.push_back(report); }
  void message(MessageLevel /*level*/, std::string_view text) override {
    messages.emplace_back(text);
  }

  RunPlan plan;
  std::vector<std::string> messages;
  std::vector<UpdateReport> updates;
  std::vector<ValidationReport> validations;
};

class TrainerReports : public testing::ToyRun {
 protected:
  void run(const RunConfig& config) {
    train(config, {.output = folder_ / "run", .init = {}, .threads = 1, .reporter = &witness_});
  }
  Witness witness_;
};

// From the second on, nothing but updates happens in this run (the model folder is written after
// the first), so their times make up the whole of it, however long each waits for its batch: here
// sampled sub-words take far more time than the model.
TEST_F(TrainerReports, TheTimeOfAnUpdateIncludesWaitingForItsData) {
  RunConfig slow_data = config();
  slow_data.model.d_model = slow_data.model.d_ff = 4;
  slow_data.model.heads = 1;
  slow_data.data.valid.clear();
  slow_data.data.sampling = 0.5;
  slow_data.train.updates = slow_data.train.save_every = 60;
  slow_data.train.accumulate = 4;
  run(slow_data);
  double steps = 0;
  for (std::size_t i = 2; i < witness_.updates.size(); ++i) {
    steps += witness_.updates[i].step_seconds;
  }
  const double whole = witness_.updates.back().seconds - witness_.updates[1].seconds;
  EXPECT_GT(steps, 0.9 * whole);
  EXPECT_LE(steps, whole);
}

TEST_F(TrainerReports, WithALimitOfEpochsTheExpectedEndIsWhereItEnds) {
  for (const std::int64_t accumulate : {1, 3}) {
    RunConfig by_epochs = config();
    by_epochs.data.valid.clear();
    by_epochs.train.updates = 100000;
    by_epochs.train.epochs = 3;
    by_epochs.train.accumulate = accumulate;
    by_epochs.train.save_every = 100000;
    std::filesystem::remove_all(folder_ / "run");
    witness_.updates.clear();
    run(by_epochs);
    const UpdateReport& last = witness_.updates.back();
    EXPECT_EQ(last.updates, last.update);
    EXPECT_EQ(witness_.plan.epochs, 3);
    EXPECT_NEAR(static_cast<double>(witness_.plan.updates), static_cast<double>(last.update), 6.0);
    for (const UpdateReport& report : witness_.updates) {
      EXPECT_EQ(report.update == report.updates, &report == &last) << report.update;
      if (report.epoch == 2) {
        EXPECT_EQ(report.updates, last.update) << "the last epoch's batches are counted";
      }
    }
  }
}

TEST_F(TrainerReports, ALimitOfEpochsThatIsNotReachedChangesNothing) {
  RunConfig both = config();
  both.train.updates = 2;
  both.train.epochs = 50;
  run(both);
  EXPECT_EQ(witness_.plan.updates, 2);
  EXPECT_EQ(witness_.plan.epochs, 0);
  EXPECT_EQ(witness_.updates.front().updates, 2);
}

TEST_F(TrainerReports, ExamplesOfAnEpochCountTheWeightsOfTheCorpora) {
  RunConfig weighted = config();
  weighted.data.corpora.push_back(weighted.data.corpora.front());
  weighted.data.corpora[0].weight = 2;
  weighted.data.corpora[1].name = "half";
  weighted.data.corpora[1].weight = 0.5;
  weighted.train.updates = 1;
  run(weighted);
  EXPECT_EQ(witness_.plan.examples, 1000);
  EXPECT_EQ(witness_.plan.example_name, "sentence pairs");
  EXPECT_EQ(witness_.plan.input_vocabulary, 420);
  EXPECT_EQ(witness_.plan.output_vocabulary, 420);
}

// The clock of these runs goes on by half a second whenever it is asked.
class TimedReports : public TrainerReports {
 protected:
  std::vector<std::string> times(RunConfig config, bool resume = false) {
    config.train.save_every = config.train.valid_every = 100;
    witness_.messages.clear();
    TrainerOptions options{.output = folder_ / "run", .resume = resume, .init = {}, .threads = 1};
    options.reporter = &witness_;
    options.stop = &stop_;
    options.clock = [this] { return 0.5 * static_cast<double>(ticks_++); };
    train(config, options);
    std::vector<std::string> found;
    std::copy_if(witness_.messages.begin(), witness_.messages.end(), std::back_inserter(found),
                 [](const std::string& text) { return text.find(" will take ") != text.npos; });
    return found;
  }
  std::atomic<bool> stop_ = false;
  std::int64_t ticks_ = 0;
};

TEST_F(TimedReports, ARunOfGivenUpdatesSaysHowLongItWillTakeAndHowToMakeItShorter) {
  const std::vector<std::string> lines = times(config());
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], ::testing::StartsWith("this will take about "));
  EXPECT_THAT(lines[0], ::testing::HasSubstr("; --updates N makes it shorter"));
}

TEST_F(TimedReports, ARunThatGoesOnSaysHowLongTheRestWillTake) {
  stop_ = true;
  EXPECT_THAT(times(config()), ::testing::IsEmpty());
  stop_ = false;
  const std::vector<std::string> lines = times(config(), true);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], ::testing::StartsWith("the rest will take about "));
  EXPECT_THAT(lines[0], ::testing::Not(::testing::HasSubstr("shorter")));
}

}  // namespace
}  // namespace yona
