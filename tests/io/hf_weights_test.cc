#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/huggingface.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::yona::testing::message_of;

ModelDescription four_wide(NormPosition norm) {
  ModelDescription d;
  d.config.d_model = 4;
  d.config.heads = 2;
  d.config.d_k = d.config.d_v = 2;
  d.config.source_vocabulary = d.config.target_vocabulary = 3;
  d.config.max_positions = 5;
  d.config.norm = norm;
  return d;
}

const std::vector<float> kZeros(16);
const NamedArray kSharedZeros = {"shared.weight", DType::f32, {3, 4}, kZeros.data()};

std::map<std::string, NamedArray> by_name(const HuggingFaceWeights& weights) {
  std::map<std::string, NamedArray> result;
  for (const NamedArray& array : weights.arrays()) {
    result[array.name] = array;
  }
  return result;
}

std::vector<float> values(const NamedArray& array) {
  const auto* data = static_cast<const float*>(array.data);
  return {data, data + array.shape.elements()};
}

TEST(HuggingFaceNames, CoverEveryParameterOfTheTransformer) {
  const std::map<std::string, std::string> expected = {
      {"encoder.layers.0.self_attention.query.weight",
       "model.encoder.layers.0.self_attn.q_proj.weight"},
      {"encoder.layers.11.self_attention.key.bias",
       "model.encoder.layers.11.self_attn.k_proj.bias"},
      {"decoder.layers.3.self_attention.value.weight",
       "model.decoder.layers.3.self_attn.v_proj.weight"},
      {"decoder.layers.3.self_attention.output.bias",
       "model.decoder.layers.3.self_attn.out_proj.bias"},
      {"decoder.layers.3.self_attention_norm.weight",
       "model.decoder.layers.3.self_attn_layer_norm.weight"},
      {"decoder.layers.3.cross_attention.query.weight",
       "model.decoder.layers.3.encoder_attn.q_proj.weight"},
      {"decoder.layers.3.cross_attention_norm.bias",
       "model.decoder.layers.3.encoder_attn_layer_norm.bias"},
      {"encoder.layers.0.feed_forward.inner.weight", "model.encoder.layers.0.fc1.weight"},
      {"encoder.layers.0.feed_forward.outer.bias", "model.encoder.layers.0.fc2.bias"},
      {"encoder.layers.0.feed_forward_norm.weight",
       "model.encoder.layers.0.final_layer_norm.weight"},
      {"encoder.norm.weight", "model.encoder.layer_norm.weight"},
      {"decoder.norm.bias", "model.decoder.layer_norm.bias"},
      {"projection.bias", "final_logits_bias"}};
  for (const auto& [ours, theirs] : expected) {
    EXPECT_THAT(huggingface_names(ours), ElementsAre(theirs)) << ours;
  }
}

TEST(HuggingFaceNames, OfEmbeddingsEndWithThoseOfOthersThatMayBeTiedToThem) {
  const std::string shared = "model.shared.weight";
  const std::string encoder = "model.encoder.embed_tokens.weight";
  const std::string decoder = "model.decoder.embed_tokens.weight";
  const std::string head = "lm_head.weight";
  EXPECT_EQ(huggingface_names("shared.weight").front(), shared);
  EXPECT_THAT(huggingface_names("encoder.embedding.weight"),
              ElementsAre(encoder, shared, head, decoder));
  EXPECT_THAT(huggingface_names("decoder.embedding.weight"),
              ElementsAre(decoder, shared, head, encoder));
  EXPECT_THAT(huggingface_names("projection.weight"), ElementsAre(head, shared, decoder, encoder));
}

TEST(HuggingFaceNames, AreNoneForWhatTheFamiliesLack) {
  for (const char* name :
       {"", "encoder", "encoder.", "encoder.layers.0", "encoder.positions.weight",
        "encoder.layers.0.memory.weight", "other.weight"}) {
    EXPECT_THAT(huggingface_names(name), IsEmpty()) << name;
  }
}

TEST(HuggingFaceWeights, OfMarianBarPaddingAndStoreNoPositions) {
  const HuggingFaceWeights weights(four_wide(NormPosition::post), {&kSharedZeros, 1});
  const auto arrays = by_name(weights);
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays.at("model.shared.weight").data, kSharedZeros.data);
  EXPECT_EQ(arrays.at("final_logits_bias").shape, (Shape{1, 3}));
  EXPECT_THAT(values(arrays.at("final_logits_bias")), ElementsAre(0, 0, -1e9F));
}

TEST(HuggingFaceWeights, OfPegasusStoreSinesThenCosines) {
  const HuggingFaceWeights weights(four_wide(NormPosition::pre), {&kSharedZeros, 1});
  const auto arrays = by_name(weights);
  ASSERT_EQ(arrays.size(), 4U);
  const NamedArray& table = arrays.at("model.decoder.embed_positions.weight");
  EXPECT_EQ(table.shape, (Shape{5, 4}));
  EXPECT_EQ(values(table), values(arrays.at("model.encoder.embed_positions.weight")));
  const std::vector<float> first_two = {0,           0,           1,           1,
                                        0.84147098F, 0.00999983F, 0.54030231F, 0.99995F};
  for (std::size_t i = 0; i < first_two.size(); ++i) {
    EXPECT_FLOAT_EQ(values(table)[i], first_two[i]) << i;
  }
}

TEST(HuggingFaceWeights, KeepAModelsOwnBias) {
  const std::vector<float> bias = {0.5F, -1, 7};
  const std::vector<NamedArray> parameters = {kSharedZeros,
                                              {"projection.bias", DType::f32, {3}, bias.data()}};
  EXPECT_THAT(values(by_name({four_wide(NormPosition::post), parameters}).at("final_logits_bias")),
              ElementsAre(0.5F, -1, -1e9F));
  const std::vector<NamedArray> barred = {kSharedZeros,
                                          {"projection.bias", DType::f32, {2}, bias.data()}};
  EXPECT_THAT(values(by_name({four_wide(NormPosition::post), barred}).at("final_logits_bias")),
              ElementsAre(0.5F, -1, -1e9F));
  const std::vector<NamedArray> wrong = {{"projection.bias", DType::f32, {1}, bias.data()}};
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { HuggingFaceWeights(four_wide(NormPosition::post), wrong); }),
              HasSubstr("projection.bias is f32 [1], not f32 [3]"));
}

TEST(HuggingFaceWeights, KeepYonasNamesWhereNoFamilyFits) {
  ModelDescription d = four_wide(NormPosition::post);
  d.config.positions = PositionKind::learned;
  const HuggingFaceWeights weights(d, {&kSharedZeros, 1});
  ASSERT_EQ(weights.arrays().size(), 1U);
  EXPECT_EQ(weights.arrays()[0].name, "shared.weight");
}

TEST(HuggingFaceWeights, RefuseAParameterWithoutAPlace) {
  const NamedArray odd = {"encoder.extra.weight", DType::f32, {1}, kZeros.data()};
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                HuggingFaceWeights(four_wide(NormPosition::post), {&odd, 1});
              }),
              HasSubstr("MarianMTModel has no parameter like 'encoder.extra.weight'"));
}

// What was read from a family is written under its names, whatever yona would choose itself.
TEST(HuggingFaceWeights, OfAFamilyKeepItsNames) {
  ModelDescription d = four_wide(NormPosition::pre);
  d.family = "t5";
  d.config.departures.gated = true;
  const std::vector<NamedArray> parameters = {
      kSharedZeros,
      {"encoder.layers.0.feed_forward.inner.weight", DType::f32, {2, 4}, kZeros.data()},
      {"encoder.layers.0.feed_forward.gate.weight", DType::f32, {2, 4}, kZeros.data()}};
  const HuggingFaceWeights gated(d, parameters);
  ASSERT_EQ(gated.arrays().size(), 3U);  // T5 has neither a bias on the logits nor positions
  EXPECT_EQ(gated.arrays()[0].name, "shared.weight");
  EXPECT_EQ(gated.arrays()[1].name, "encoder.block.0.layer.1.DenseReluDense.wi_0.weight");
  EXPECT_EQ(gated.arrays()[2].name, "encoder.block.0.layer.1.DenseReluDense.wi_1.weight");
  d.config.departures.gated = false;
  const HuggingFaceWeights plain(d, std::span(parameters).first(2));
  EXPECT_EQ(plain.arrays()[1].name, "encoder.block.0.layer.1.DenseReluDense.wi.weight");
}

TEST(HuggingFaceWeights, OfBartHaveRowsForPositionsThatAreNone) {
  ModelDescription d = four_wide(NormPosition::post);
  d.family = "bart";
  d.config.departures.padding = Padding::ordinary;
  d.config.positions = PositionKind::learned;
  d.config.departures.first_position = 2;
  d.config.departures.projection_bias = true;
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<float> bias = {0.5F, 0.25F, -1};
  const HuggingFaceWeights weights(
      d, std::vector<NamedArray>{kSharedZeros,
                                 {"decoder.positions.weight", DType::f32, {2, 4}, rows.data()},
                                 {"projection.bias", DType::f32, {3}, bias.data()}});
  const auto arrays = by_name(weights);
  const NamedArray& positions = arrays.at("model.decoder.embed_positions.weight");
  EXPECT_EQ(positions.shape, (Shape{4, 4}));
  EXPECT_THAT(values(positions), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(values(arrays.at("final_logits_bias")), bias);  // <pad> is as probable as it was
}

}  // namespace
}  // namespace yona
