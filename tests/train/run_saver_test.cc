// What a run keeps on disk: checkpoints, and a model folder that can be used at any time.

#include "yona/train/run_saver.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/checkpoints.h"
#include "yona/io/checksums.h"
#include "yona/io/translation_model.h"

#include "tests/harness/file_size_limit.h"
#include "tests/train/trainer_run.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

using testing::read_bytes;
using testing::StopAt;

class RunSaverTest : public testing::TrainerRun {};

// Loads the run's folder and the checkpoint whenever one was saved.
class Loader : public Reporter {
 public:
  explicit Loader(fs::path run) : run_(std::move(run)) {}
  void saved(std::int64_t /*update*/, const fs::path& checkpoint) override {
    for (const fs::path& folder : {run_, checkpoint}) {
      EXPECT_NO_THROW(TranslationModel::load(folder, *backend_)) << folder;
    }
    ++count;
  }
  int count = 0;

 private:
  fs::path run_;
  std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 1});
};

TEST_F(RunSaverTest, HasAModelFromTheFirstCheckpointOnAndChecksumsOfIt) {
  RunConfig late = config();
  late.train.valid_every = 10;
  late.train.save_every = 4;
  Loader loader(folder_ / "run");
  train(late, {.output = folder_ / "run", .init = {}, .reporter = &loader});
  EXPECT_EQ(loader.count, 4);  // 4, 8, 10, 12
  EXPECT_NO_THROW(verify_folder(folder_ / "run"));
  const Manifest manifest = Manifest::find(folder_ / "run").value();
  for (const char* name : {"model.safetensors", "config.json", "vocab.json", "source.spm"}) {
    EXPECT_TRUE(manifest.lists(name)) << name;
  }
}

TEST_F(RunSaverTest, KeepsTheCheckpointsOfARunThatNoSignalStopped) {
  RunConfig often = config();
  often.train.keep_last = 2;
  often.train.valid_every = 100;
  train(often, {.output = folder_ / "whole", .init = {}});
  for (const std::int64_t update : {9, 11}) {  // both after the last checkpoint before the end
    StopAt reporter(update);
    train(often, {.output = folder_ / "stopped",
                  .resume = true,
                  .init = {},
                  .reporter = &reporter,
                  .stop = &reporter.stop});
    EXPECT_TRUE(fs::exists(folder_ / "stopped/checkpoints" / fmt::format("step-{}", update)));
  }
  train(often, {.output = folder_ / "stopped", .resume = true, .init = {}});
  const auto steps = [&](const char* run) {
    std::vector<std::int64_t> found;
    for (const Checkpoint& checkpoint : list_checkpoints(folder_ / run)) {
      found.push_back(checkpoint.step);
    }
    return found;
  };
  EXPECT_EQ(steps("stopped"), steps("whole"));
  EXPECT_EQ(steps("whole"), (std::vector<std::int64_t>{8, 12}));
}

TEST_F(RunSaverTest, KeepsTheLastAndTheBestCheckpoints) {
  RunConfig keeps = config();
  keeps.train.save_every = keeps.train.valid_every = 2;
  keeps.train.keep_last = 2;
  keeps.train.keep_best = 1;
  run(keeps, "run");
  const auto left = list_checkpoints(folder_ / "run");
  EXPECT_GE(left.size(), 2U);
  EXPECT_LE(left.size(), 3U);
  EXPECT_EQ(left.back().step, 12);
}

TEST_F(RunSaverTest, KeepsTheLastGoodCheckpointOfARunThatIsLost) {
  RunConfig bad = config();  // the run is lost long before its loss is not finite
  bad.train.schedule = {.kind = ScheduleKind::constant, .rate = 10, .warmup = 0, .final_rate = 0};
  bad.train.updates = 100;
  bad.train.save_every = 1;
  bad.train.valid_every = 100;
  bad.train.keep_best = 0;
  bad.train.keep_last = 2;
  RunConfig good = bad;
  good.train.updates = 3;
  good.train.schedule.rate = 1e-4;
  run(good, "run");
  const std::string message = testing::message_of<Error>([&] {
    train(bad, {.output = folder_ / "run", .resume = true, .allow_changes = true, .init = {}});
  });
  EXPECT_NE(message.find("checkpoints/step-3; try"), std::string::npos) << message;
  std::vector<std::int64_t> kept;
  for (const Checkpoint& checkpoint : list_checkpoints(folder_ / "run")) {
    kept.push_back(checkpoint.step);
  }
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept.front(), 3);
}

// Notes the model's bytes when a checkpoint was saved.
class ModelNotes : public Reporter {
 public:
  explicit ModelNotes(fs::path run) : run_(std::move(run)) {}
  void updated(const UpdateReport& report) override { is_lost_ = report.loss > 100; }
  void saved(std::int64_t /*update*/, const fs::path& /*checkpoint*/) override {
    (is_lost_ ? when_lost : when_good).push_back(read_bytes(run_ / "model.safetensors"));
  }
  std::vector<std::string> when_good, when_lost;

 private:
  fs::path run_;
  bool is_lost_ = false;
};

TEST_F(RunSaverTest, LeavesTheModelOfARunThatIsLost) {
  RunConfig bad = config();
  bad.train.schedule = {.kind = ScheduleKind::constant, .rate = 10, .warmup = 0, .final_rate = 0};
  bad.train.updates = 3;
  bad.train.save_every = 1;
  bad.train.on_nan = OnNan::skip;
  bad.data.valid.clear();
  ModelNotes notes(folder_ / "run");
  train(bad, {.output = folder_ / "run", .init = {}, .reporter = &notes});
  ASSERT_FALSE(notes.when_good.empty());
  ASSERT_FALSE(notes.when_lost.empty());
  EXPECT_EQ(notes.when_lost.back(), notes.when_good.back());
  EXPECT_EQ(read_bytes(folder_ / "run/model.safetensors"), notes.when_good.back());
}

TEST_F(RunSaverTest, WritesTheModelOfAFinishedRunWhereItIsMissing) {
  for (const bool is_validated : {true, false}) {
    RunConfig finished = config();
    if (!is_validated) {
      finished.data.valid.clear();
    }
    const std::string name = is_validated ? "validated" : "not";
    const fs::path model = folder_ / name / "model.safetensors";
    run(finished, name);
    const std::string newest =
        read_bytes(folder_ / name / "checkpoints" / "step-12" / "model.safetensors");
    fs::remove(model);
    EXPECT_EQ(run(finished, name, true).updates, 12);
    EXPECT_EQ(read_bytes(model), newest) << name;
  }
}

TEST_F(RunSaverTest, SaysWhichCheckpointStandsWhereTheModelCannotBeWritten) {
  RunConfig first = config();
  first.train.updates = 4;
  first.data.valid.clear();
  run(first, "run");
  first.train.updates = 8;
  const testing::FileSizeLimit limit(60000);  // configurations and sub-words fit, weights do not
  const std::string message = testing::message_of<IoError>([&] { run(first, "run", true); });
  EXPECT_NE(message.find("step-4, is intact"), std::string::npos) << message;
}

}  // namespace
}  // namespace yona
