// A run from text files to a model folder: what is written, what repeats, what is refused.

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/checkpoints.h"
#include "yona/io/checksums.h"
#include "yona/io/translation_model.h"
#include "yona/tasks/train.h"
#include "yona/train/average.h"

#include "tests/harness/file_size_limit.h"
#include "tests/train/toy_run.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

using testing::read_bytes;

// Every file below the folder that must be the same in two equal runs.
std::map<std::string, std::string> run_files(const fs::path& run) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(run)) {
    const std::string name = fs::relative(entry.path(), run).string();
    const bool ours = name.find("tensorboard") == std::string::npos &&
                      name.find("cache") == std::string::npos && name != ".lock" &&
                      name != "config.yaml";
    if (entry.is_regular_file() && ours) {
      files[name] = read_bytes(entry.path());
    }
  }
  return files;
}

class TrainerTest : public testing::ToyRun {
 protected:
  TrainResult run(const RunConfig& config, const std::string& name, bool resume = false,
                  int threads = 0) {
    return train(config,
                 {.output = folder_ / name, .resume = resume, .init = {}, .threads = threads});
  }
};

TEST_F(TrainerTest, WritesAModelFolderThatLoads) {
  const TrainResult result = run(config(), "run");
  EXPECT_EQ(result.updates, 12);
  EXPECT_TRUE(std::isfinite(result.best_loss));
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  EXPECT_EQ(model->info().config.d_model, 32);
  EXPECT_EQ(model->subwords().target.vocabulary().size(), 420);
  EXPECT_TRUE(fs::exists(folder_ / "run/config.yaml"));
  EXPECT_TRUE(fs::exists(folder_ / "run/checkpoints/latest/state.json"));
}

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

TEST_F(TrainerTest, HasAModelFromTheFirstCheckpointOnAndChecksumsOfIt) {
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

TEST_F(TrainerTest, GivesTheSameBytesAgainWithAnyNumberOfThreads) {
  run(config(), "one", false, 1);
  run(config(), "two", false, 2);
  const auto one = run_files(folder_ / "one");
  EXPECT_EQ(one, run_files(folder_ / "two"));
  EXPECT_GE(one.size(), 10U);
}

// A batch norm's running statistics are in the model, the checkpoints and the bits.
TEST_F(TrainerTest, TrainsWithBatchNormAndGoesOnWithIt) {
  RunConfig batch = config();
  batch.model.departures.norm_kind = NormKind::batch;
  batch.train.schedule.kind = ScheduleKind::paper;  // does not depend on train.updates
  run(batch, "straight", false, 2);
  RunConfig first = batch;
  first.train.updates = 8;
  run(first, "resumed");
  run(batch, "resumed", true);
  for (const char* file : {"model.safetensors", "checkpoints/step-12/model.safetensors",
                           "checkpoints/step-12/optimizer.safetensors"}) {
    EXPECT_EQ(read_bytes(folder_ / "straight" / file), read_bytes(folder_ / "resumed" / file))
        << file;
  }
  const ModelInfo info = read_model_info(folder_ / "straight");
  EXPECT_EQ(info.config.departures.norm_kind, NormKind::batch);
  const auto model = make_seq2seq(info.config);
  const auto backend = make_backend("cpu", {.threads = 1});
  const Parameters parameters(*model, *backend, Gradients::no);
  read_weights(folder_ / "straight", parameters);
  const std::string norm = "encoder.layers.0.feed_forward_norm.";
  for (const float mean : parameters.find(norm + "running_mean")->value.to_vector<float>()) {
    EXPECT_NE(mean, 0.0F);
  }
}

// Asks for a stop after one update.
class StopAt : public Reporter {
 public:
  explicit StopAt(std::int64_t update) : update_(update) {}
  void updated(const UpdateReport& report) override { stop = stop || report.update == update_; }
  std::atomic<bool> stop = false;

 private:
  std::int64_t update_;
};

TEST_F(TrainerTest, KeepsTheCheckpointsOfARunThatNoSignalStopped) {
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

TEST_F(TrainerTest, ASignalInTheLastUpdateLeavesTheBytesOfARunWithoutIt) {
  RunConfig to_eleven = config();
  to_eleven.train.updates = 11;  // where no checkpoint is due
  to_eleven.train.schedule.kind = ScheduleKind::paper;
  train(to_eleven, {.output = folder_ / "run", .init = {}});
  const auto expected = run_files(folder_ / "run");
  fs::remove_all(folder_ / "run");
  StopAt reporter(11);
  const TrainResult result =
      train(to_eleven,
            {.output = folder_ / "run", .init = {}, .reporter = &reporter, .stop = &reporter.stop});
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(run_files(folder_ / "run"), expected);
}

TEST_F(TrainerTest, GoesOnAsIfItHadNeverStopped) {
  run(config(), "straight");
  RunConfig first = config();
  first.train.schedule.kind = ScheduleKind::paper;  // does not depend on train.updates
  first.train.updates = 8;
  first.train.valid_every = 6;
  run(first, "resumed");
  // What a stop at update 8 adds: a last validation. A kill would not have made it.
  fs::remove_all(folder_ / "resumed/checkpoints/step-8");
  run(config(), "resumed", true);
  const auto straight = run_files(folder_ / "straight");
  EXPECT_EQ(straight.at("model.safetensors"), read_bytes(folder_ / "resumed/model.safetensors"));
  EXPECT_EQ(straight.at("checkpoints/step-12/optimizer.safetensors"),
            read_bytes(folder_ / "resumed/checkpoints/step-12/optimizer.safetensors"));
  EXPECT_EQ(straight.at("checkpoints/step-12/state.json"),
            read_bytes(folder_ / "resumed/checkpoints/step-12/state.json"));
}

TEST_F(TrainerTest, DependsOnTheSeed) {
  RunConfig other = config();
  other.train.seed = 2;
  run(config(), "one");
  run(other, "two");
  EXPECT_NE(read_bytes(folder_ / "one/model.safetensors"),
            read_bytes(folder_ / "two/model.safetensors"));
}

TEST_F(TrainerTest, SavesAndReturnsWhenAskedToStop) {
  const std::atomic<bool> stop{true};
  const TrainResult result =
      train(config(), {.output = folder_ / "run", .init = {}, .stop = &stop});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.updates, 1);
  EXPECT_EQ(latest_checkpoint(folder_ / "run")->step, 1);
  EXPECT_EQ(run(config(), "run", true).updates, 12);
}

TEST_F(TrainerTest, RefusesAFolderThatHoldsARunUnlessToldToResume) {
  run(config(), "run");
  try {
    run(config(), "run");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("use --resume to go on with it"), std::string::npos);
  }
}

TEST_F(TrainerTest, RefusesAFolderOfSomethingElse) {
  for (const char* file : {"config.json", "model.int8.safetensors", "source.spm", "vocab.json"}) {
    fs::create_directories(folder_ / "other");
    std::ofstream(folder_ / "other" / file) << "x";
  }
  for (const bool resume : {false, true}) {
    EXPECT_EQ(testing::message_of<InvalidArgument>([&] { run(config(), "other", resume); }),
              (folder_ / "other").string() +
                  ": this folder holds config.json, model.int8.safetensors, source.spm and 1 more, "
                  "and is not a run of `yona train`; name a new folder with --output");
  }
  fs::create_directories(folder_ / "empty/.hidden");
  RunConfig one = config();
  one.train.updates = 1;
  run(one, "empty");
}

TEST_F(TrainerTest, BeginsAgainWhereARunWasStoppedBeforeItsFirstCheckpoint) {
  run(config(), "straight");
  fs::copy(folder_ / "straight", folder_ / "begun", fs::copy_options::recursive);
  fs::remove_all(folder_ / "begun/checkpoints");
  std::ofstream(folder_ / "begun/vocab.json") << "{}";  // of other data, or half written
  run(config(), "begun", true);
  EXPECT_EQ(run_files(folder_ / "straight"), run_files(folder_ / "begun"));
}

// What the folder has of a model when training begins.
class StartNotes : public Reporter {
 public:
  explicit StartNotes(fs::path run) : run_(std::move(run)) {}
  void started(const RunPlan& /*plan*/) override {
    for (const char* name : {"checksums.json", "model.safetensors", "config.json"}) {
      EXPECT_FALSE(fs::exists(run_ / name)) << name;
    }
    ++count;
  }
  int count = 0;

 private:
  fs::path run_;
};

TEST_F(TrainerTest, BeginsAgainWithoutTheModelThatWasThere) {
  run(config(), "run");
  fs::remove_all(folder_ / "run/checkpoints");
  RunConfig other = config();
  other.data.vocabulary_size = 400;
  other.train.updates = 1;
  StartNotes notes(folder_ / "run");
  train(other, {.output = folder_ / "run", .resume = true, .init = {}, .reporter = &notes});
  EXPECT_EQ(notes.count, 1);
  EXPECT_NO_THROW(verify_folder(folder_ / "run"));
}

TEST_F(TrainerTest, RefusesSubwordsOfItsOwnForAModelThatHasThem) {
  run(config(), "parent");
  RunConfig child = config();
  child.data.source_model = folder_ / "parent/source.spm";
  const std::string message = testing::message_of<InvalidArgument>(
      [&] { train(child, {.output = folder_ / "child", .init = folder_ / "parent"}); });
  EXPECT_NE(message.find("has its own sub-words; leave out data.source_model"), std::string::npos)
      << message;
  EXPECT_FALSE(fs::exists(folder_ / "child"));
}

TEST_F(TrainerTest, RefusesABatchThatDoesNotFitBeforeAnythingIsTrained) {
  RunConfig large = config();
  large.train.batch_tokens = 1 << 30;
  const std::string message = testing::message_of<InvalidArgument>([&] { run(large, "run"); });
  EXPECT_NE(message.find("train.batch_tokens: a step of 1073741824 tokens needs about "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("; the largest that fits is 25000"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(folder_ / "run/checkpoints"));
}

TEST_F(TrainerTest, ComplainsOfUnequalValidationFilesBeforeAnythingIsTrained) {
  std::ofstream(folder_ / "valid.de", std::ios::app) << "eine Zeile mehr\n";
  EXPECT_NE(testing::message_of<FormatError>([&] {
              run(config(), "run");
            }).find("parallel files need the same number of lines"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "run/vocab.json"));
}

TEST_F(TrainerTest, RefusesToResumeWithAnotherModelOrSeed) {
  run(config(), "run");
  RunConfig other = config();
  other.model.d_ff = 64;
  other.train.updates = 20;
  EXPECT_THROW(run(other, "run", true), Error);
  other = config();
  other.train.seed = 9;
  try {
    run(other, "run", true);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("train.seed: 1 → 9; resume with"), std::string::npos)
        << error.what();
  }
}

TEST_F(TrainerTest, StopsAtANanWithUpdateBatchAndCheckpoint) {
  RunConfig bad = config();
  bad.train.schedule = {.kind = ScheduleKind::constant, .rate = 1e38, .warmup = 0, .final_rate = 0};
  bad.train.updates = 50;
  bad.train.save_every = 1;
  try {
    run(bad, "run");
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("at update "), std::string::npos) << text;
    EXPECT_NE(text.find("of epoch "), std::string::npos) << text;
    // The weights of the only checkpoint are of the order of 1e38.
    EXPECT_NE(text.find("there is no good checkpoint"), std::string::npos) << text;
  }
  EXPECT_TRUE(latest_checkpoint(folder_ / "run").has_value());
}

TEST_F(TrainerTest, KeepsTheLastGoodCheckpointOfARunThatIsLost) {
  RunConfig bad = config();  // the loss is out of all reason long before it is not finite
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

TEST_F(TrainerTest, LeavesTheModelOfARunThatIsLost) {
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

TEST_F(TrainerTest, SaysWhichCheckpointStandsWhereTheModelCannotBeWritten) {
  RunConfig first = config();
  first.train.updates = 4;
  first.data.valid.clear();
  run(first, "run");
  first.train.updates = 8;
  const testing::FileSizeLimit limit(60000);  // configurations and sub-words fit, weights do not
  const std::string message = testing::message_of<IoError>([&] { run(first, "run", true); });
  EXPECT_NE(message.find("step-4, is intact"), std::string::npos) << message;
}

TEST_F(TrainerTest, StopsEarlyWhenValidationNoLongerImproves) {
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

TEST_F(TrainerTest, KeepsTheLastAndTheBestCheckpoints) {
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

TEST_F(TrainerTest, StartsFromAnotherModelsWeightsAndSubwords) {
  run(config(), "parent");
  RunConfig child = config();
  child.train.updates = 1;
  child.train.schedule = {.kind = ScheduleKind::constant, .rate = 0, .warmup = 0, .final_rate = 0};
  child.model.d_model = 64;  // the parent's shape wins
  train(child, {.output = folder_ / "child", .init = folder_ / "parent"});
  EXPECT_EQ(read_bytes(folder_ / "child/model.safetensors"),
            read_bytes(folder_ / "parent/model.safetensors"));
  EXPECT_EQ(read_bytes(folder_ / "child/source.spm"), read_bytes(folder_ / "parent/source.spm"));
}

TEST_F(TrainerTest, TrainsWithRDropAverageSamplingAndPreNorm) {
  RunConfig all = config();
  all.model.norm = NormPosition::pre;
  all.train.rdrop = 1.0;
  all.train.ema = 0.9;
  all.train.clip_norm = 1.0;
  all.data.sampling = 0.1;
  all.data.subwords = "unigram";
  run(all, "one");
  run(all, "two");
  EXPECT_EQ(run_files(folder_ / "one"), run_files(folder_ / "two"));
}

TEST_F(TrainerTest, AveragesCheckpoints) {
  RunConfig keeps = config();
  keeps.train.save_every = 4;
  run(keeps, "run");
  const auto used = average_checkpoints(
      {.run = folder_ / "run", .output = folder_ / "mean", .last = 3, .checkpoints = {}});
  EXPECT_EQ(used.size(), 3U);
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto mean = TranslationModel::load(folder_ / "mean", *backend);
  double expected = 0;
  for (const fs::path& path : used) {
    Transformer model(mean->info().config);
    const Parameters parameters(model, *backend, Gradients::no);
    read_weights(path, parameters);
    expected += static_cast<double>(parameters.weights().to_vector<float>()[100]) / 3.0;
  }
  EXPECT_NEAR(mean->parameters().weights().to_vector<float>()[100], expected, 1e-6);
  EXPECT_THROW(
      average_checkpoints(
          {.run = folder_ / "run", .output = folder_ / "other", .last = 30, .checkpoints = {}}),
      InvalidArgument);
  EXPECT_THROW(
      average_checkpoints(
          {.run = folder_ / "run", .output = folder_ / "mean", .last = 1, .checkpoints = {}}),
      InvalidArgument);
}

TEST_F(TrainerTest, NeedsTrainingData) {
  RunConfig empty = config();
  empty.data.corpora.clear();
  EXPECT_THROW(run(empty, "run"), InvalidArgument);
}

}  // namespace
}  // namespace yona
