#include "yona/train/validations.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "tests/train/trainer_run.h"

namespace yona {
namespace {

// Keeps what validations report.
class ValidationNotes : public Reporter {
 public:
  void validated(const ValidationReport& report) override { reports.push_back(report); }
  void sampled(const SamplesReport& report) override {
    samples.push_back(report);
    reports_before.push_back(reports.size());
  }
  std::vector<ValidationReport> reports;
  std::vector<SamplesReport> samples;
  std::vector<std::size_t> reports_before;  // of each of the samples
};

class ValidationsTest : public testing::TrainerRun {};

TEST_F(ValidationsTest, StopsEarlyWhenValidationNoLongerImproves) {
  RunConfig patient = config();
  patient.train.schedule = {
      .kind = ScheduleKind::constant, .rate = 0, .warmup = 0, .final_rate = 0};
  patient.train.updates = 100;
  patient.train.valid_every = 1;
  patient.train.patience = 3;
  const TrainResult result = run(patient, "run");
  EXPECT_TRUE(result.stopped_early);
  EXPECT_EQ(result.updates, 4);  // the first is the best, three are not better
}

TEST_F(ValidationsTest, AResumedRunDoesNotCompareItsScoresWithThoseOfAnotherSet) {
  run(config(), "run");
  const std::string before = testing::read_bytes(folder_ / "run" / "model.safetensors");
  testing::write_bytes(folder_ / "hard.en", "one two three\n");
  testing::write_bytes(folder_ / "hard.de", "zwei drei vier fünf zwei drei vier fünf\n");
  RunConfig other = config();
  other.data.valid[0].source = folder_ / "hard.en";
  other.data.valid[0].target = folder_ / "hard.de";
  other.train.updates = 18;
  ValidationNotes notes;
  const TrainResult result =
      train(other, {.output = folder_ / "run", .resume = true, .reporter = &notes});
  ASSERT_EQ(notes.reports.size(), 1U);
  EXPECT_TRUE(notes.reports[0].is_best);
  EXPECT_EQ(result.best_loss, notes.reports[0].loss);
  EXPECT_NE(before, testing::read_bytes(folder_ / "run" / "model.safetensors"));
  // The same files at another place are the same set.
  testing::write_bytes(folder_ / "moved.en", testing::read_bytes(folder_ / "hard.en"));
  other.data.valid[0].source = folder_ / "moved.en";
  EXPECT_EQ(train(other, {.output = folder_ / "run", .resume = true}).best_loss, result.best_loss);
}

TEST_F(ValidationsTest, TheFirstSetDecidesAndSamplesComeLast) {
  RunConfig two = config();
  two.data.valid.push_back(
      {.name = "again", .source = folder_ / "valid.en", .target = folder_ / "valid.de"});
  ValidationNotes notes;
  const TrainResult result =
      train(two, {.output = folder_ / "run", .init = {}, .reporter = &notes, .samples = 2});
  ASSERT_EQ(notes.reports.size(), 4U);  // updates 6 and 12
  for (const std::size_t first : {0, 2}) {
    EXPECT_EQ(notes.reports[first].set, "valid");
    EXPECT_EQ(notes.reports[first + 1].set, "again");
    EXPECT_EQ(notes.reports[first].update, notes.reports[first + 1].update);
    EXPECT_EQ(notes.reports[first].loss, notes.reports[first + 1].loss);  // the same files
    EXPECT_FALSE(notes.reports[first + 1].is_best);
  }
  EXPECT_TRUE(notes.reports[0].is_best);
  EXPECT_EQ(result.best_loss, std::min(notes.reports[0].loss, notes.reports[2].loss));
  ASSERT_EQ(notes.samples.size(), 2U);
  EXPECT_EQ(notes.samples[1].update, 12);
  EXPECT_EQ(notes.samples[0].samples.size(), 2U);
  EXPECT_EQ(notes.reports_before, (std::vector<std::size_t>{2, 4}));
}

}  // namespace
}  // namespace yona
