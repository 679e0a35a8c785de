#include "yona/tasks/average.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/translation_model.h"
#include "yona/tasks/train.h"

#include "tests/train/toy_run.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;

class AverageTest : public ToyRun {
 protected:
  // A checkpoint that has its config.json alone.
  fs::path checkpoint(const std::string& name, const std::string& config) {
    fs::create_directories(folder_ / name);
    write_bytes(folder_ / name / "config.json", config);
    return folder_ / name;
  }
  std::string refusal(const std::vector<fs::path>& checkpoints) {
    return message_of<Error>([&] {
      average_checkpoints(
          {.run = folder_ / "run", .output = folder_ / "mean", .checkpoints = checkpoints});
    });
  }
};

TEST_F(AverageTest, TakesTheMeanOfTheLastCheckpoints) {
  RunConfig keeps = config();
  keeps.train.save_every = 4;
  train(keeps, {.output = folder_ / "run"});
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

TEST_F(AverageTest, ACheckpointOfAnotherRunDoesNotGetTheSubwordsOfThisOne) {
  train(config(), {.output = folder_ / "run"});
  RunConfig other = config();
  other.data.subwords = "unigram";
  train(other, {.output = folder_ / "other"});
  const fs::path checkpoint = folder_ / "other" / "checkpoints" / "step-12";
  EXPECT_EQ(refusal({checkpoint}),
            "average: " + checkpoint.string() + " was not trained with the sub-words of " +
                (folder_ / "run").string() + "; name its own run with --run");
  EXPECT_FALSE(fs::exists(folder_ / "mean"));
}

TEST_F(AverageTest, NamesModelsOfDifferentShapesAndOfKindsThatAreNotAveraged) {
  const fs::path one = checkpoint("one", R"({"model_type": "vit", "hidden_size": 8})");
  const fs::path other = checkpoint("other", R"({"model_type": "vit", "hidden_size": 9})");
  EXPECT_EQ(refusal({one, other}), "average: " + one.string() + " and " + other.string() +
                                       " are models of different shapes");
  EXPECT_EQ(refusal({one}), "average: " + one.string() +
                                " is an image classifier; translation models, parsers, language "
                                "models and encoders are averaged");
}

}  // namespace
}  // namespace yona::testing
