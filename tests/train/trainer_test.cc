// A run from text files to a model folder: what is written, what repeats, how it ends.

#include <cmath>

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/checkpoints.h"
#include "yona/io/translation_model.h"

#include "tests/train/trainer_run.h"

namespace yona {
namespace {

namespace fs = std::filesystem;

using testing::read_bytes;
using testing::run_files;
using testing::StopAt;

class TrainerTest : public testing::TrainerRun {};

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

TEST_F(TrainerTest, NeedsTrainingData) {
  RunConfig empty = config();
  empty.data.corpora.clear();
  EXPECT_THROW(run(empty, "run"), InvalidArgument);
}

}  // namespace
}  // namespace yona
