#include "yona/base/json.h"

#include <gtest/gtest.h>

#include "yona/inspect/export.h"

#include "tests/inspect/small_maps.h"

namespace yona::testing {
namespace {

TEST(AttentionJson, HoldsTokensWeightsAndFigures) {
  const Json json = Json::parse(attention_json(small_maps()));
  EXPECT_EQ(json.at("source"), "a quarter");
  EXPECT_EQ(json.at("translated"), false);
  EXPECT_EQ(json.at("source_tokens").at(1), "▁quarter");
  EXPECT_EQ(json.at("decoder_tokens").at(0), "<pad>");
  EXPECT_EQ(json.at("cross").size(), 2U);
  EXPECT_EQ(json.at("cross").at(0).at(1).at(0), Json({0, 1, 0}));
  EXPECT_EQ(json.at("decoder").at(1).at(1).at(2), Json({0, 1, 0}));
  EXPECT_EQ(json.at("figures").size(), 12U);
}

TEST(AttentionJson, EscapesWhateverTheTokensAre) {
  const std::vector<std::string> odd{"\"", "\\", "<0x0A>", "\t", "א", "🎈"};
  const Json json = Json::parse(attention_json(small_maps(odd, odd)));
  EXPECT_EQ(json.at("source_tokens").get<std::vector<std::string>>(), odd);
}

TEST(AttentionJson, KeepsSixDigits) {
  AttentionMaps maps = small_maps({"</s>"}, {"</s>"});
  maps.maps.front().weights.front() = 0.12345678F;
  const Json json = Json::parse(attention_json(maps));
  EXPECT_EQ(json.at("encoder").at(0).at(0).at(0).at(0), 0.123457);
}

TEST(AttentionJson, WritesFourDecimalsWithoutZerosAtTheEnd) {
  AttentionMaps maps = small_maps({"</s>"}, {"</s>"});
  for (const auto& [weight, written] : {std::pair(0.12345678F, "0.1235"),
                                        {0.0F, "0"},
                                        {1.0F, "1"},
                                        {0.5F, "0.5"},
                                        {0.00004F, "0"},
                                        {0.00006F, "0.0001"},
                                        {0.99996F, "1"},
                                        {0.1001F, "0.1001"}}) {
    maps.maps.front().weights.front() = weight;
    TextPieces pieces;
    append_weights(maps, WeightDigits::four_decimals, pieces);
    const std::string text = pieces.joined();
    EXPECT_TRUE(text.starts_with(",\"encoder\":[[[[" + std::string(written) + "]]")) << text;
    EXPECT_EQ(Json::parse("{\"a\":1" + text + "}").at("a"), 1);
  }
}

}  // namespace
}  // namespace yona::testing
