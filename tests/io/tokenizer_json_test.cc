#include "yona/io/tokenizer_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/base/json.h"
#include "yona/text/subword.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::yona::testing::message_of;

Subword train_sample(SubwordAlgorithm algorithm, const std::string& normalization = "identity") {
  SubwordTraining options;
  options.algorithm = algorithm;
  options.vocabulary_size = 380;
  options.normalization = normalization;
  options.tags = {">>de<<"};
  return Subword(
      train_subword(testing::lines_of(testing::sample_sentences(200)), options, "sample"));
}

Json convert(const Subword& subword) {
  return Json::parse(tokenizer_json(subword.model(), subword.vocabulary()));
}

TEST(TokenizerJson, OfBpeMergesTheBestPieceFirstAndOnlyPiecesThatExist) {
  const Subword subword = train_sample(SubwordAlgorithm::bpe);
  const Json model = convert(subword)["model"];
  EXPECT_EQ(model["type"], "BPE");
  EXPECT_EQ(model["byte_fallback"], true);
  EXPECT_EQ(model["vocab"].size(), static_cast<std::size_t>(subword.vocabulary().size()));
  ASSERT_GT(model["merges"].size(), 10U);
  for (const Json& merge : model["merges"]) {
    const auto text = merge.get<std::string>();
    const std::size_t space = text.find(' ');
    EXPECT_TRUE(subword.vocabulary().find(text.substr(0, space)).has_value()) << text;
    EXPECT_TRUE(subword.vocabulary().find(text.substr(space + 1)).has_value()) << text;
    EXPECT_TRUE(
        subword.vocabulary().find(text.substr(0, space) + text.substr(space + 1)).has_value());
  }
}

TEST(TokenizerJson, OfUnigramListsScoresById) {
  const Subword subword = train_sample(SubwordAlgorithm::unigram);
  const Json model = convert(subword)["model"];
  EXPECT_EQ(model["type"], "Unigram");
  EXPECT_EQ(model["unk_id"], subword.vocabulary().unknown());
  const std::int32_t piece = subword.vocabulary().id("e");
  EXPECT_EQ(model["vocab"][static_cast<std::size_t>(piece)][0], "e");
  EXPECT_LT(model["vocab"][static_cast<std::size_t>(piece)][1].get<double>(), 0);
}

TEST(TokenizerJson, MakesSpecialPiecesAndTagsWhole) {
  const Subword subword = train_sample(SubwordAlgorithm::bpe);
  const Json json = convert(subword);
  std::map<std::string, bool> special;
  for (const Json& token : json["added_tokens"]) {
    special[token["content"].get<std::string>()] = token["special"].get<bool>();
    EXPECT_EQ(token["id"], subword.vocabulary().id(token["content"].get<std::string>()));
  }
  EXPECT_TRUE(special.at("</s>"));
  EXPECT_TRUE(special.at("<pad>"));
  EXPECT_FALSE(special.at(">>de<<"));
  EXPECT_EQ(json["post_processor"]["special_tokens"]["</s>"]["ids"], Json::array({0}));
}

TEST(TokenizerJson, CarriesTheCharacterMapOfANormalisingModel) {
  const auto steps = [](const Subword& subword) {
    return convert(subword)["normalizer"]["normalizers"];
  };
  EXPECT_EQ(steps(train_sample(SubwordAlgorithm::bpe))[0]["type"], "Replace");
  const Json first = steps(train_sample(SubwordAlgorithm::bpe, "nmt_nfkc"))[0];
  EXPECT_EQ(first["type"], "Precompiled");
  EXPECT_GT(first["precompiled_charsmap"].get<std::string>().size(), 1000U);
  EXPECT_EQ(first["precompiled_charsmap"].get<std::string>().size() % 4, 0U);
}

TEST(TokenizerJson, RefusesWhatIsNoModel) {
  const Vocabulary vocabulary({"</s>", "<unk>", "<pad>"});
  EXPECT_THAT(message_of<FormatError>([&] { tokenizer_json("junk", vocabulary, "a.spm"); }),
              HasSubstr("a.spm"));
}

}  // namespace
}  // namespace yona
