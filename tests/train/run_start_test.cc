// How a run begins: what is refused before anything is trained, and where it goes on.

#include "yona/train/run_start.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/checksums.h"

#include "tests/train/trainer_run.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

using testing::read_bytes;
using testing::run_files;

class RunStartTest : public testing::TrainerRun {};

TEST_F(RunStartTest, RefusesAFolderThatHoldsARunUnlessToldToResume) {
  run(config(), "run");
  try {
    run(config(), "run");
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("use --resume to go on with it"), std::string::npos);
  }
}

TEST_F(RunStartTest, RefusesAFolderOfSomethingElse) {
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

TEST_F(RunStartTest, BeginsAgainWhereARunWasStoppedBeforeItsFirstCheckpoint) {
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

TEST_F(RunStartTest, BeginsAgainWithoutTheModelThatWasThere) {
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

TEST_F(RunStartTest, RefusesSubwordsOfItsOwnForAModelThatHasThem) {
  run(config(), "parent");
  RunConfig child = config();
  child.data.source_model = folder_ / "parent/source.spm";
  const std::string message = testing::message_of<InvalidArgument>(
      [&] { train(child, {.output = folder_ / "child", .init = folder_ / "parent"}); });
  EXPECT_NE(message.find("has its own sub-words; leave out data.source_model"), std::string::npos)
      << message;
  EXPECT_FALSE(fs::exists(folder_ / "child"));
}

TEST_F(RunStartTest, RefusesABatchThatDoesNotFitBeforeAnythingIsTrained) {
  RunConfig large = config();
  large.train.batch_tokens = 1 << 30;
  const std::string message = testing::message_of<InvalidArgument>([&] { run(large, "run"); });
  EXPECT_NE(message.find("train.batch_tokens: a step of 1073741824 tokens needs about "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("; the largest that fits is 25000"), std::string::npos) << message;
  EXPECT_FALSE(fs::exists(folder_ / "run/checkpoints"));
}

TEST_F(RunStartTest, ComplainsOfUnequalValidationFilesBeforeAnythingIsTrained) {
  std::ofstream(folder_ / "valid.de", std::ios::app) << "eine Zeile mehr\n";
  EXPECT_NE(testing::message_of<FormatError>([&] {
              run(config(), "run");
            }).find("parallel files need the same number of lines"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "run/vocab.json"));
}

TEST_F(RunStartTest, RefusesToResumeWithAnotherModelOrSeed) {
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

TEST_F(RunStartTest, StartsFromAnotherModelsWeightsAndSubwords) {
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

}  // namespace
}  // namespace yona
