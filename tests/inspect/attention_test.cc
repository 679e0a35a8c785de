#include "yona/inspect/attention.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/inspect/random_model.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<TranslationModel> random_model(const TransformerConfig& config = small_config()) {
  const TempDir folder;
  write_random_model(folder.path(), config);
  return TranslationModel::load(folder.path(), shared_backend("cpu"));
}

AttentionMaps inspect(const TranslationModel& model, const std::string& source,
                      const std::optional<std::string>& target = std::nullopt) {
  return inspect_attention(model, shared_backend("cpu"), source, target);
}

// Every row a distribution, and nothing beyond itself in the decoder.
void expect_distributions(const AttentionMaps& maps) {
  for (const AttentionMap& map : maps.maps) {
    ASSERT_EQ(map.queries, static_cast<std::int64_t>(maps.query_tokens(map.part).size()));
    ASSERT_EQ(map.keys, static_cast<std::int64_t>(maps.key_tokens(map.part).size()));
    for (std::int64_t head = 0; head < map.heads; ++head) {
      for (std::int64_t i = 0; i < map.queries; ++i) {
        const auto row = map.row(head, i);
        EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1.0, 1e-5);
        for (std::int64_t j = i + 1; j < map.keys && map.part == AttentionPart::decoder; ++j) {
          EXPECT_EQ(row[static_cast<std::size_t>(j)], 0.0F);
        }
      }
    }
  }
}

TEST(InspectAttention, GivesEveryLayerAndHeadOfEveryPart) {
  const auto model = random_model();
  const AttentionMaps maps = inspect(*model, "the old farmer", "die Katze");
  EXPECT_EQ(maps.layers(AttentionPart::encoder), 2);
  EXPECT_EQ(maps.layers(AttentionPart::decoder), 3);
  EXPECT_EQ(maps.layers(AttentionPart::cross), 3);
  EXPECT_EQ(maps.heads(), 2);
  EXPECT_FALSE(maps.translated);
  EXPECT_EQ(maps.source_tokens.back(), "</s>");
  EXPECT_EQ(maps.target_tokens.back(), "</s>");
  EXPECT_EQ(maps.decoder_tokens.front(), "<pad>");
  EXPECT_EQ(maps.decoder_tokens[1], maps.target_tokens[0]);
  EXPECT_EQ(maps.at(AttentionPart::cross, 2).layer, 2);
  expect_distributions(maps);
}

// The paper's Table 3: heads, sizes of keys and values, layers, positions, norms and attentions.
TEST(InspectAttention, WorksForEveryVariantOfTable3) {
  std::vector<TransformerConfig> variants(7, small_config());
  variants[0].heads = 1;
  variants[1].heads = 8;
  variants[2].d_k = 3;
  variants[2].d_v = 5;
  variants[3].positions = PositionKind::learned;
  variants[4].norm = NormPosition::pre;
  variants[5].attention = AttentionKind::additive;
  variants[6].attention = AttentionKind::unscaled;
  for (const TransformerConfig& config : variants) {
    const auto model = random_model(config);
    const AttentionMaps maps = inspect(*model, "my sister never opens", "der Nachbar liebt");
    EXPECT_EQ(maps.heads(), config.heads);
    expect_distributions(maps);
  }
}

TEST(InspectAttention, TranslatesWhereNoTargetIsGiven) {
  const auto model = random_model();
  const AttentionMaps maps = inspect(*model, "the old farmer");
  EXPECT_TRUE(maps.translated);
  EXPECT_EQ(maps.target_tokens.size(), maps.decoder_tokens.size());
  expect_distributions(maps);
}

TEST(InspectAttention, LooksAtOneTokenAndAtFiveHundred) {
  const auto model = random_model();
  const AttentionMaps one = inspect(*model, "the", "");
  EXPECT_THAT(one.target_tokens, ElementsAre("</s>"));
  EXPECT_EQ(one.at(AttentionPart::decoder, 0).weights, (std::vector<float>{1, 1}));
  expect_distributions(one);
  const std::vector<std::int32_t> ids(500, 300);
  const AttentionMaps many = inspect_attention(*model, shared_backend("cpu"), ids, ids);
  EXPECT_EQ(many.source_tokens.size(), 501U);
  expect_distributions(many);
}

TEST(InspectAttention, SaysWhatIsTooLongOrEmpty) {
  const auto model = random_model();
  EXPECT_EQ(message_of<InvalidArgument>([&] { inspect(*model, ""); }),
            "attention: the source is empty; give at least one word");
  const std::vector<std::int32_t> many(520, 300);
  EXPECT_EQ(message_of<InvalidArgument>(
                [&] { inspect_attention(*model, shared_backend("cpu"), many, {}); }),
            "attention: the source has 521 tokens, the model takes at most 520; shorten it");
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { inspect_attention(*model, shared_backend("cpu"), {300}, many); }),
              HasSubstr("the target has 521 tokens"));
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { inspect(*model, "the").at(AttentionPart::encoder, 2); }),
      "attention: there is no layer 3 in the encoder self-attention; it has 2");
}

TEST(InspectAttention, LabelsTokensAsPeopleReadThem) {
  EXPECT_THAT(labels({"<pad>", "▁the", "re", "▁", "<0x71>", "<0xE4>", "</s>", "a\x1b[0m"}),
              ElementsAre("<start>", "the", "re", "▁", "q", "<0xE4>", "</s>", "a␛[0m"));
}

}  // namespace
}  // namespace yona::testing
