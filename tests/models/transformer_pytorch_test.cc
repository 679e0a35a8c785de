// Whole models, the Transformer and those that it replaced, against PyTorch: same weights, same
// batch, no dropout. The fixtures' README says how they were made. Compared are the loss, every
// gradient, and the weights after 20 updates, on every backend, to 1e-4 of each tensor's norm.

#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "yona/base/json.h"
#include "yona/io/safetensors.h"
#include "yona/tasks/seq2seq/seq2seq_objective.h"
#include "yona/train/learner.h"
#include "yona/train/optimiser.h"
#include "yona/train/schedule.h"

#include "tests/harness/compare.h"
#include "tests/harness/fixture_arrays.h"
#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/tolerances.h"

namespace yona::testing {
namespace {

// Adam divides by the size of a gradient: where that is near zero, as for a bias in front of a
// norm, its rounding becomes part of the weights.
constexpr double kAfterUpdates = 3 * kModelF32;

namespace fs = std::filesystem;

template <class Kind>
Kind choice(const Json& json, const char* key, const std::map<std::string, Kind>& kinds) {
  return kinds.at(json.at(key).get<std::string>());
}

// What the Transformer's fixtures have beside the fields that all have.
void read_transformer(const Json& json, TransformerConfig& config) {
  const auto size = [&](const char* key) { return json.at(key).get<std::int64_t>(); };
  config.d_ff = size("d_ff");
  config.heads = size("heads");
  config.d_k = size("d_k");
  config.d_v = size("d_v");
  config.position_base = json.at("position_base").get<double>();
  config.norm = choice<NormPosition>(json, "norm",
                                     {{"post", NormPosition::post}, {"pre", NormPosition::pre}});
  config.activation = choice<FeedForwardActivation>(
      json, "activation",
      {{"relu", FeedForwardActivation::relu}, {"gelu", FeedForwardActivation::gelu}});
  config.attention = *enum_value<AttentionKind>(json.at("attention").get<std::string>());
  config.positions = *enum_value<PositionKind>(json.at("positions").get<std::string>());
  AttentionSizes& sizes = config.attention_sizes;
  sizes.window = json.value("window", sizes.window);
  sizes.dilation = json.value("dilation", sizes.dilation);
  sizes.block = json.value("block", sizes.block);
  sizes.global_blocks = json.value("global_blocks", sizes.global_blocks);
  sizes.random_blocks = json.value("random_blocks", sizes.random_blocks);
  sizes.features = json.value("features", sizes.features);
}

void read_architecture(const Json& json, Seq2SeqConfig& config) {
  config.arch = *enum_value<Arch>(json.at("arch").get<std::string>());
  config.cell = *enum_value<Cell>(json.at("cell").get<std::string>());
  config.alignment = *enum_value<Alignment>(json.at("alignment").get<std::string>());
  config.kernel_width = json.at("kernel_width").get<std::int64_t>();
  config.longest_dilation = json.at("longest_dilation").get<std::int64_t>();
  if (config.arch == Arch::feed_forward) {
    config.input_length = json.at("input_length").get<std::int64_t>();
    config.d_ff = json.at("d_ff").get<std::int64_t>();
  }
}

Seq2SeqConfig config_of(const Json& json) {
  Seq2SeqConfig config;
  const auto size = [&](const char* key) { return json.at(key).get<std::int64_t>(); };
  config.source_vocabulary = size("source_vocabulary");
  config.target_vocabulary = size("target_vocabulary");
  config.encoder_layers = size("encoder_layers");
  config.decoder_layers = size("decoder_layers");
  config.d_model = size("d_model");
  config.max_positions = size("max_positions");
  config.dropout = 0.0;
  config.tying = choice<Tying>(
      json, "tying", {{"all", Tying::all}, {"target", Tying::target}, {"none", Tying::none}});
  if (json.contains("arch")) {
    read_architecture(json, config);
  } else {
    read_transformer(json, config);
  }
  return config;
}

// Adding the same number to every score changes no softmax, so a key's bias has no gradient in
// dot-product attention, unless keys are turned by their positions or compared by features. What
// arithmetic leaves there is noise, and Adam divides it by its size.
bool has_no_gradient(const std::string& name, const Seq2SeqConfig& config) {
  const bool is_additive = config.arch == Arch::rnn ? config.alignment == Alignment::additive
                                                    : config.attention == AttentionKind::additive;
  const bool is_turned =
      config.positions == PositionKind::rotary && name.find("self_attention") != std::string::npos;
  const bool has_features = config.attention == AttentionKind::performer &&
                            name.find("self_attention") != std::string::npos;
  return !is_additive && !is_turned && !has_features && name.ends_with("key.bias");
}

class Comparison {
 public:
  Comparison(const SafetensorsFile& file, std::string_view backend,
             Precision precision = Precision::f32)
      : file_(file),
        config_json_(Json::parse(file.metadata().at("config"))),
        config_(config_of(config_json_)),
        objective_(config_, {.label_smoothing = config_json_.at("label_smoothing").get<double>()}),
        backend_(shared_backend(backend)),
        parameters_(objective_.model(), backend_, Gradients::yes),
        learner_(objective_, parameters_, backend_, precision) {
    for (const Parameters::Entry& entry : parameters_.entries()) {
      entry.value.upload(array_of<float>(file_, "initial." + entry.name));
    }
  }

  void expect_all_parameters() const {
    std::size_t arrays = 0;
    for (const std::string& name : file_.names()) {
      arrays += name.starts_with("initial.") ? 1 : 0;
    }
    EXPECT_EQ(parameters_.entries().size(), arrays);
  }

  LossSums gradients(int batch_index) {
    const Batch batch = fixture_batch(file_, fmt::format("batch.{}.", batch_index));
    parameters_.zero_gradients();
    return learner_.accumulate(batch, {}, objective_.weight(batch)).read();
  }

  void expect_loss_and_gradients() {
    const LossSums sums = gradients(0);
    const auto tokens = static_cast<double>(sums.rows);
    const std::vector<double> loss = array_of<double>(file_, "loss");
    EXPECT_NEAR(sums.loss / tokens, loss[0], kModelF32 * loss[0]);
    EXPECT_NEAR(sums.nll / tokens, loss[1], kModelF32 * loss[1]);
    const double whole = norm_of(values_of(parameters_.gradients()));
    for (const Parameters::Entry& entry : parameters_.entries()) {
      const std::vector<double> actual = values_of(entry.value.gradient());
      if (has_no_gradient(entry.name, config_)) {
        EXPECT_LE(norm_of(actual), 1e-6 * whole) << entry.name;
      } else {
        EXPECT_LE(norm_error(actual, doubles_of(file_, "gradient." + entry.name)), kModelF32)
            << "gradient of " << entry.name;
      }
    }
  }

  void expect_similar_loss_and_gradient() {
    const LossSums sums = gradients(0);
    const double loss = array_of<double>(file_, "loss")[0];
    EXPECT_NEAR(sums.loss / static_cast<double>(sums.rows), loss, kModelLossBf16 * loss);
    std::vector<double> whole;
    for (const Parameters::Entry& entry : parameters_.entries()) {
      const std::vector<double> part = doubles_of(file_, "gradient." + entry.name);
      whole.insert(whole.end(), part.begin(), part.end());
    }
    EXPECT_LE(norm_error(values_of(parameters_.gradients()), whole), kModelGradientBf16);
  }

  void expect_weights_after_updates() {
    const Json training = Json::parse(file_.metadata().at("training"));
    TrainConfig train;
    train.schedule = {.kind = ScheduleKind::paper,
                      .rate = training.at("rate").get<double>(),
                      .warmup = training.at("warmup").get<std::int64_t>()};
    train.updates = training.at("updates").get<std::int64_t>();
    Optimiser optimiser(parameters_, backend_, train);
    for (std::int64_t update = 1; update <= train.updates; ++update) {
      gradients(static_cast<int>((update - 1) % 2));
      optimiser.step(update, learning_rate(train.schedule, config_.d_model, train.updates, update));
    }
    for (const Parameters::Entry& entry : parameters_.entries()) {
      if (!has_no_gradient(entry.name, config_)) {
        const std::vector<double> expected = doubles_of(file_, "final." + entry.name);
        EXPECT_GE(norm_error(doubles_of(file_, "initial." + entry.name), expected), 1e-3)
            << entry.name << " did not move";
        EXPECT_LE(norm_error(values_of(entry.value), expected), kAfterUpdates)
            << entry.name << " after " << train.updates << " updates";
      }
    }
  }

 private:
  const SafetensorsFile& file_;
  Json config_json_;
  Seq2SeqConfig config_;
  Seq2SeqObjective objective_;
  Backend& backend_;
  Parameters parameters_;
  Learner learner_;
};

std::vector<std::string> fixtures() {
  std::vector<std::string> names;
  for (const std::string folder : {"pytorch", "pytorch_architectures"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(YONA_FIXTURES) / folder)) {
      if (entry.path().extension() == ".safetensors") {
        names.push_back(folder + "/" + entry.path().stem().string());
      }
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ModelAgainstPyTorch : public ::testing::TestWithParam<std::string> {
 protected:
  SafetensorsFile file_{fs::path(YONA_FIXTURES) / (GetParam() + ".safetensors")};
};

TEST_P(ModelAgainstPyTorch, StaysCloseWithOperandsInBf16) {
  for (const std::string_view backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    Comparison(file_, backend, Precision::bf16).expect_similar_loss_and_gradient();
  }
}

TEST_P(ModelAgainstPyTorch, HasItsLossGradientsAndWeightsAfterTwentyUpdates) {
  for (const std::string_view backend : {"reference", "cpu"}) {
    SCOPED_TRACE(backend);
    Comparison comparison(file_, backend);
    comparison.expect_all_parameters();
    comparison.expect_loss_and_gradients();
    comparison.expect_weights_after_updates();
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ModelAgainstPyTorch, ::testing::ValuesIn(fixtures()),
                         [](const auto& instance) {
                           return fs::path(instance.param).stem().string();
                         });

}  // namespace
}  // namespace yona::testing
