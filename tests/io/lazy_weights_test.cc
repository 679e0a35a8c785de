#include "yona/io/lazy_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/decode/batch_decoder.h"
#include "yona/io/huggingface.h"
#include "yona/io/translation_model.h"
#include "yona/tensor/packed_weights.h"

#include "tests/harness/op_case.h"
#include "tests/harness/random_tensor.h"
#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

TransformerConfig small_config() {
  TransformerConfig config;
  config.source_vocabulary = config.target_vocabulary = 50;
  config.encoder_layers = config.decoder_layers = 2;
  config.d_model = 16;
  config.d_ff = 40;
  config.heads = 2;
  config.max_positions = 30;
  return config;
}

// A folder with random weights.
void write_folder(const TransformerConfig& config, const std::filesystem::path& folder) {
  Transformer model(config);
  const Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  set_values(parameters.weights(), random_values(parameters.count(), 3, -0.4, 0.4));
  const ModelInfo info{.config = config, .source_language = "en", .target_language = "de"};
  write_model_configs(folder, describe(info));
  write_weights(folder / "model.safetensors", info, parameters, parameters.weights());
}

std::vector<Hypothesis> decoded(const Transformer& model) {
  BatchDecoder decoder({&model}, shared_backend("cpu"), {.beam = 3, .n_best = 3});
  const std::vector<DecodeRequest> requests{{.source = {7, 4, 30, 0}}, {.source = {2, 0}}};
  std::vector<Hypothesis> all;
  for (const std::vector<Hypothesis>& found : decoder.decode(requests)) {
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

void expect_same_decoding(const TransformerConfig& config, const std::string& what) {
  const TempDir folder;
  write_folder(config, folder.path());
  Transformer eager(config);
  const Parameters all(eager, shared_backend("cpu"), Gradients::no);
  read_weights(folder.path(), all);
  const PackedWeights eager_packed(all.weights());
  Transformer lazy(config);
  const Parameters none(lazy, shared_backend("cpu"), Gradients::no);
  set_values(none.weights(), std::vector<double>(static_cast<std::size_t>(none.count()), 1e30));
  LazyWeights weights(folder.path(), none);
  const PackedWeights lazy_packed(none.weights(), [&](const Tensor& part) { weights.read(part); });
  const std::vector<Hypothesis> expected = decoded(eager);
  const std::vector<Hypothesis> got = decoded(lazy);
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].ids, expected[i].ids) << what;
    EXPECT_EQ(got[i].score, expected[i].score) << what;
  }
}

TEST(LazyWeights, ChangeNothingInAnyKindOfModel) {
  expect_same_decoding(small_config(), "post-norm");
  TransformerConfig config = small_config();
  config.norm = NormPosition::pre;
  config.tying = Tying::none;
  expect_same_decoding(config, "pre-norm, nothing tied");
  config = small_config();
  config.positions = PositionKind::learned;
  config.tying = Tying::target;
  expect_same_decoding(config, "learned positions");
  config = small_config();
  config.attention = AttentionKind::additive;
  expect_same_decoding(config, "additive attention");
}

TEST(LazyWeights, AreReadWhenAskedForAndOnce) {
  const TempDir folder;
  write_folder(small_config(), folder.path());
  Transformer model(small_config());
  const Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  LazyWeights weights(folder.path(), parameters);
  const Tensor query = parameters.find("encoder.layers.0.self_attention.query.weight")->value;
  const Tensor outer = parameters.find("encoder.layers.0.feed_forward.outer.weight")->value;
  EXPECT_EQ(values_of(query)[0], 0.0);
  weights.read(query.row_range(3, 2));  // a part is enough
  const double value = values_of(query)[0];
  EXPECT_NE(value, 0.0);
  EXPECT_EQ(values_of(outer)[0], 0.0);
  set_values(query, std::vector<double>(static_cast<std::size_t>(query.elements()), 9.0));
  weights.read(query);
  EXPECT_EQ(values_of(query)[0], 9.0);
}

TEST(LazyWeights, RefuseAFolderOfAnotherShapeAtOnce) {
  const TempDir folder;
  write_folder(small_config(), folder.path());
  TransformerConfig other = small_config();
  other.d_ff = 48;
  Transformer model(other);
  const Parameters parameters(model, shared_backend("cpu"), Gradients::no);
  EXPECT_THAT(message_of<FormatError>([&] { LazyWeights(folder.path(), parameters); }),
              ::testing::HasSubstr("feed_forward.inner.weight' has shape [40, 16]"));
}

}  // namespace
}  // namespace yona::testing
