#include "yona/train/training_step.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "yona/io/translation_model.h"

#include "tests/train/trainer_run.h"

namespace yona {
namespace {

// Adds up what updates report.
class TokenCounts : public Reporter {
 public:
  void updated(const UpdateReport& report) override {
    ++updates;
    inputs += report.input_tokens;
    predictions += report.predictions;
  }
  std::int64_t updates = 0, inputs = 0, predictions = 0;
};

// Of all lines, each with its end.
std::int64_t tokens_of(const std::filesystem::path& file, const Subword& subword) {
  std::ifstream lines(file);
  std::vector<std::int32_t> ids;
  std::int64_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    ids.clear();
    subword.encode(line, ids);
    count += static_cast<std::int64_t>(ids.size()) + 1;
  }
  return count;
}

class TrainingStepTest : public testing::TrainerRun {};

TEST_F(TrainingStepTest, AnEpochHasEachTokenOnceHoweverItsBatchesAreJoined) {
  RunConfig epoch = config();
  epoch.data.valid.clear();
  epoch.train.updates = 100000;
  epoch.train.epochs = 1;
  epoch.train.accumulate = 1;
  TokenCounts counts;
  train(epoch, {.output = folder_ / "run", .init = {}, .reporter = &counts});
  const auto backend = make_backend("cpu", {.threads = 1});
  const auto model = TranslationModel::load(folder_ / "run", *backend);
  EXPECT_GT(counts.updates, 10);
  EXPECT_EQ(counts.inputs, tokens_of(folder_ / "train.en", model->subwords().source));
  EXPECT_EQ(counts.predictions, tokens_of(folder_ / "train.de", model->subwords().target));
}

}  // namespace
}  // namespace yona
