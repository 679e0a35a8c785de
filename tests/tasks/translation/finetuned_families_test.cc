// Training on from a published model, against transformers: the same lines become the same ids, and
// from the same weights come its loss, its gradients and its weights after five updates of Adam,
// to 1e-4 of each tensor's norm. The fixtures' README says how they were made.

#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>

#include "yona/io/hf_family.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/tasks/translation/run_model.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"
#include "yona/train/reporters.h"

#include "tests/harness/compare.h"
#include "tests/harness/fixture_arrays.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using Ids = std::vector<std::int32_t>;

Ids sentence(const Side& ids, std::size_t index) {
  return {ids.ids.begin() + ids.offsets[index], ids.ids.begin() + ids.offsets[index + 1]};
}

class FinetunedFamily : public ::testing::TestWithParam<std::string> {
 protected:
  fs::path init() const { return fs::path(YONA_FIXTURES) / "families" / GetParam(); }

  RunModel prepare() {
    RunConfig config;
    config.model.dropout = 0;
    config.data.source_language = training_.at("source_language").get<std::string>();
    config.data.target_language = training_.at("target_language").get<std::string>();
    Reporters reporters;
    return prepare_model(config, {.output = run_.path(),
                                  .init = init(),
                                  .checkpoint = {},
                                  .backend = shared_backend("cpu"),
                                  .reporter = reporters});
  }

  TempDir run_;
  SafetensorsFile file_{fs::path(YONA_FIXTURES) / "finetuned" / (GetParam() + ".safetensors")};
  Json training_ = Json::parse(file_.metadata().at("training"));
};

// A model, and what the fixture says of its parameters under the family's names.
class Finetuning {
 public:
  Finetuning(const SafetensorsFile& file, const RunModel& run, const fs::path& init,
             Backend& backend)
      : file_(file),
        info_(run.info),
        family_(*find_family(info_.family)),
        objective_(info_.config, {.label_smoothing = 0}),
        backend_(backend),
        parameters_(objective_.model(), backend_, Gradients::yes),
        learner_(objective_, parameters_, backend_),
        batch_(fixture_batch(file, "")) {
    read_weights(init, parameters_);
  }

  double gradients() {
    parameters_.zero_gradients();
    const LossSums sums = learner_.accumulate(batch_, {}, objective_.weight(batch_)).read();
    return sums.loss / static_cast<double>(sums.rows);
  }

  void expect_loss_and_gradients() {
    const double loss = array_of<double>(file_, "loss")[0];
    EXPECT_NEAR(gradients(), loss, kModelF32 * loss);
    std::size_t compared = 0;
    for (const Parameters::Entry& entry : parameters_.entries()) {
      const std::string name = name_in("norm.", entry.name);
      if (name.empty() || entry.name.ends_with("key.bias")) {
        continue;  // a buffer; or what has no gradient, since softmax does not see it
      }
      const double norm = array_of<double>(file_, "norm." + name)[0];
      const std::vector<double> actual = values_of(entry.value.gradient());
      EXPECT_NEAR(norm_of(actual), norm, kModelF32 * norm) << "gradient of " << entry.name;
      if (file_.find("gradient." + name)) {
        EXPECT_LE(norm_error(actual, doubles_of(file_, "gradient." + name)), kModelF32)
            << "gradient of " << entry.name;
        ++compared;
      }
    }
    EXPECT_GE(compared, 10U);
  }

  void expect_weights_after_updates(const Json& training) {
    TrainConfig train;
    train.updates = training.at("updates").get<std::int64_t>();
    train.freeze = constant_parameters(describe(info_));
    Optimiser optimiser(parameters_, backend_, train);
    for (std::int64_t update = 1; update <= train.updates; ++update) {
      gradients();
      optimiser.step(update, training.at("rate").get<double>());
    }
    for (const Parameters::Entry& entry : parameters_.entries()) {
      const std::string name = name_in("final.", entry.name);
      if (name.empty() || entry.name.ends_with("key.bias")) {
        EXPECT_TRUE(entry.name.ends_with("bias")) << entry.name;
        continue;
      }
      std::vector<double> expected = doubles_of(file_, "final." + name);
      const std::vector<double> actual = values_of(entry.value);
      ASSERT_GE(expected.size(), actual.size()) << entry.name;
      // rows of learned positions that belong to none
      expected.erase(expected.begin(), expected.end() - static_cast<std::ptrdiff_t>(actual.size()));
      EXPECT_LE(norm_error(actual, expected), kModelF32)
          << entry.name << " after " << train.updates << " updates";
    }
  }

 private:
  // Empty for what transformers keeps as a buffer.
  std::string name_in(const std::string& prefix, const std::string& parameter) const {
    for (const std::string& name : huggingface_names(parameter, family_)) {
      if (file_.find(prefix + name)) {
        return name;
      }
    }
    return "";
  }

  const SafetensorsFile& file_;
  ModelInfo info_;
  const HfFamily& family_;
  Seq2SeqObjective objective_;
  Backend& backend_;
  Parameters parameters_;
  Learner learner_;
  Batch batch_;
};

TEST_P(FinetunedFamily, ReadsLinesAsTransformersDoes) {
  const RunModel run = prepare();
  const Batch expected = fixture_batch(file_, "");
  const Side inputs{array_of<std::int32_t>(file_, "input.ids"),
                    array_of<std::int64_t>(file_, "input.offsets")};
  const Json& lines = training_.at("lines");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Ids source, target;
    EXPECT_TRUE(run.encoder.source.encode(lines[i][0].get<std::string>(), source));
    EXPECT_TRUE(run.encoder.target.encode(lines[i][1].get<std::string>(), target));
    EXPECT_EQ(source, sentence(expected.sides[kSource], i));
    EXPECT_EQ(target, sentence(expected.sides[kTarget], i));
    Ids input{Transformer(run.info.config).start_id()};
    input.insert(input.end(), target.begin(), target.end() - 1);
    EXPECT_EQ(input, sentence(inputs, i));
  }
}

TEST_P(FinetunedFamily, HasItsLossGradientsAndWeightsAfterFiveUpdates) {
  const RunModel run = prepare();
  for (const std::string_view backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    Finetuning finetuning(file_, run, init(), shared_backend(backend));
    finetuning.expect_loss_and_gradients();
    finetuning.expect_weights_after_updates(training_);
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, FinetunedFamily,
                         ::testing::Values("bart", "mbart", "mbart50", "m2m100", "nllb", "pegasus",
                                           "t5", "t5-gated"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace yona::testing
