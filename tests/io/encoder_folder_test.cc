// Encoders against transformers: the folders of tests/fixtures/encoders (made by
// tools/fixtures/encoders.py), their logits, losses and gradients.

#include "yona/io/encoder_folder.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/data/labelled_texts.h"
#include "yona/data/masked_texts.h"
#include "yona/io/json_file.h"
#include "yona/tasks/classification/classification_objective.h"
#include "yona/tasks/masked_lm/masked_lm_objective.h"
#include "yona/tensor/ops/gather_rows.h"
#include "yona/train/learner.h"

#include "tests/harness/compare.h"
#include "tests/harness/fixture_arrays.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path encoder_fixture(const std::string& name) {
  return fs::path(YONA_FIXTURES) / "encoders" / name;
}

class EncoderFixture : public ::testing::TestWithParam<std::string> {
 protected:
  EncoderFixture()
      : folder_(encoder_fixture(GetParam())),
        info_(read_encoder_info(folder_)),
        file_(folder_ / "expected.safetensors") {
    BertConfig config = info_.config;
    config.dropout = config.attention_dropout = config.classifier_dropout = 0.0;
    if (config.labels > 0) {
      objective_ = std::make_unique<ClassificationObjective>(config, ClassificationLoss{});
    } else {
      objective_ = std::make_unique<MaskedLmObjective>(config);
    }
  }

  Bert& model() { return dynamic_cast<Bert&>(objective_->model()); }

  Batch batch() const {
    Batch batch;
    const auto offsets = array_of<std::int64_t>(file_, "offsets");
    const auto targets = array_of<std::int32_t>(file_, "targets");
    batch.clear();
    batch.sides[0].ids = array_of<std::int32_t>(file_, "ids");
    batch.sides[0].offsets = offsets;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      batch.example_ids.push_back(s);
      batch.weights.push_back(1.0F);
    }
    if (info_.config.labels > 0) {
      batch.sides[kLabel].ids = targets;
      for (std::size_t s = 1; s < offsets.size(); ++s) {
        batch.sides[kLabel].offsets.push_back(static_cast<std::int64_t>(s));
      }
      batch.sides[kTypes].ids = array_of<std::int32_t>(file_, "types");
      batch.sides[kTypes].offsets = offsets;
      return batch;
    }
    const auto rows = array_of<std::int32_t>(file_, "places");
    std::size_t next = 0;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      for (; next < rows.size() && rows[next] < offsets[s + 1]; ++next) {
        batch.sides[kMaskedPlaces].ids.push_back(rows[next] -
                                                 static_cast<std::int32_t>(offsets[s]));
        batch.sides[kMaskedTokens].ids.push_back(targets[next]);
      }
      batch.sides[kMaskedPlaces].end_example();
      batch.sides[kMaskedTokens].end_example();
    }
    return batch;
  }

  // The fixture's array for a gradient, by the names that files may have for the parameter.
  std::string gradient_name(const std::string& parameter) const {
    for (const std::string& name :
         encoder_names(parameter, *find_encoder_family(info_.family), info_.config.labels > 0)) {
      if (file_.find("gradient." + name)) {
        return "gradient." + name;
      }
    }
    return "";
  }

  fs::path folder_;
  EncoderInfo info_;
  SafetensorsFile file_;
  std::unique_ptr<Objective> objective_;
};

TEST_P(EncoderFixture, LogitsAreThoseOfTransformers) {
  Backend& backend = shared_backend("cpu");
  Parameters parameters(model(), backend, Gradients::no);
  read_encoder_weights(folder_, info_, parameters);
  Region region(backend, std::int64_t{1} << 26U);
  Context c{.region = region};
  const Batch texts = batch();
  const auto types = array_of<std::int32_t>(file_, "types");
  const BertInput input = model().input({.ids = texts.sides[0].ids,
                                         .offsets = texts.sides[0].offsets,
                                         .types = types,
                                         .text_ids = texts.example_ids},
                                        region);
  const Ragged states = model().states(input, c);
  Tensor logits;
  if (info_.config.labels > 0) {
    logits = logits_of(model().text_vectors(input, states, c), model().classifier(), c);
  } else {
    const auto rows = array_of<std::int32_t>(file_, "places");
    Tensor at(region, DType::i32, Shape{static_cast<std::int64_t>(rows.size())});
    at.upload(rows);
    logits = logits_of(model().masked_states(gather_rows(states.values, at, c), c),
                       model().masked_lm(), c);
  }
  expect_near(values_of(logits), doubles_of(file_, "logits"), kModelF32, "logits");
}

TEST_P(EncoderFixture, LossAndGradientsAreThoseOfTransformers) {
  const Batch texts = batch();
  Backend& backend = shared_backend("cpu");
  Parameters parameters(model(), backend, Gradients::yes);
  read_encoder_weights(folder_, info_, parameters);
  parameters.zero_gradients();
  Learner learner(*objective_, parameters, backend);
  const LossSums sums = learner.accumulate(texts, {}, objective_->weight(texts)).read();
  const double loss = doubles_of(file_, "loss").front();
  EXPECT_NEAR(sums.nll / static_cast<double>(sums.rows), loss, kModelF32 * loss);
  std::size_t compared = 0;
  for (const Parameters::Entry& entry : parameters.entries()) {
    const std::string name = gradient_name(entry.name);
    ASSERT_FALSE(name.empty()) << entry.name;
    if (entry.name.ends_with("key.bias")) {
      continue;  // it changes no softmax: what is there is noise
    }
    EXPECT_LE(norm_error(values_of(entry.value.gradient()), doubles_of(file_, name)), kModelF32)
        << entry.name;
    ++compared;
  }
  EXPECT_GT(compared, 30U);
}

TEST_P(EncoderFixture, IsWrittenAsItWasRead) {
  Backend& backend = shared_backend("cpu");
  Parameters parameters(model(), backend, Gradients::no);
  read_encoder_weights(folder_, info_, parameters);
  const TempDir copy;
  write_json(copy.path() / "config.json", encoder_config(info_));
  write_encoder_weights(copy.path() / "model.safetensors", info_, parameters, parameters.weights());
  const SafetensorsFolder before(folder_);
  const SafetensorsFolder after(copy.path());
  for (const std::string& name : after.names()) {
    ASSERT_TRUE(before.find(name)) << name;
  }
  const EncoderInfo again = read_encoder_info(copy.path());
  EXPECT_EQ(again.labels, info_.labels);
  EXPECT_EQ(again.config.masked_lm, info_.config.masked_lm);
  const std::vector<float> weights = parameters.weights().to_vector<float>();
  read_encoder_weights(copy.path(), again, parameters);
  EXPECT_EQ(parameters.weights().to_vector<float>(), weights);
}

INSTANTIATE_TEST_SUITE_P(Families, EncoderFixture,
                         ::testing::Values("bert-masked-lm", "bert-classes", "roberta-masked-lm",
                                           "roberta-classes", "distilbert-masked-lm",
                                           "distilbert-classes"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(EncoderFolder, NamesAModelTypeThatIsNotAnEncoder) {
  const TempDir folder;
  write_json(folder.path() / "config.json", Json{{"model_type", "marian"}});
  EXPECT_THAT(message_of<FormatError>([&] { read_encoder_info(folder.path()); }),
              HasSubstr("\"model_type\" is \"marian\", which is not an encoder"));
}

TEST(EncoderFolder, NamesTheFileOfSizesThatCannotBe) {
  const TempDir folder;
  Json config = read_json(encoder_fixture("bert-masked-lm") / "config.json");
  config["num_attention_heads"] = 7;
  write_json(folder.path() / "config.json", config);
  std::filesystem::copy_file(encoder_fixture("bert-masked-lm") / "model.safetensors",
                             folder.path() / "model.safetensors");
  EXPECT_THAT(message_of<FormatError>([&] { read_encoder_info(folder.path()); }),
              HasSubstr("config.json: model.heads: 7 heads do not divide"));
}

TEST(EncoderFolder, NamesTheTensorThatIsMissing) {
  EncoderInfo info = read_encoder_info(encoder_fixture("bert-masked-lm"));
  info.config.labels = 2;
  Bert model(info.config);
  Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  EXPECT_THAT(message_of<FormatError>([&] {
                read_encoder_weights(encoder_fixture("bert-masked-lm"), info, parameters);
              }),
              HasSubstr("the weights have no tensor 'classifier.weight'"));
}

TEST(EncoderFolder, MeanOfStatesIsKeptUnderYonasOwnType) {
  BertConfig config = bert_preset("bert-tiny");
  config.vocabulary = 100;
  config.labels = 2;
  EXPECT_EQ(choose_encoder_family(config).family, "bert");
  config.text_vector = TextVector::mean;
  EXPECT_EQ(choose_encoder_family(config).family, kOwnEncoder);
  EXPECT_THAT(choose_encoder_family(config).reason, HasSubstr("the mean of the states"));
}

}  // namespace
}  // namespace yona::testing
