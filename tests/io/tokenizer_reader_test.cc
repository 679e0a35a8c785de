#include "yona/io/tokenizer_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/io/tokenizer_json.h"
#include "yona/text/subword_training.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;

std::vector<std::int32_t> ids_of(const Subword& subword, std::string_view text) {
  std::vector<std::int32_t> ids;
  subword.encode(text, ids);
  return ids;
}

Json small_bpe() {
  return {{"added_tokens", Json::parse(R"([{"id": 6, "content": "<mask>", "special": true}])")},
          {"pre_tokenizer", {{"type", "Metaspace"}, {"prepend_scheme", "always"}}},
          {"model",
           {{"type", "BPE"},
            {"fuse_unk", true},
            {"vocab", {{"</s>", 0}, {"<unk>", 1}, {"<pad>", 2}, {"▁", 3}, {"a", 4}, {"▁a", 5}}},
            {"merges", Json::parse(R"([["▁", "a"]])")}}}};
}

Subword read(const Json& json, std::int64_t size = 8) {
  const TempDir folder;
  write_json(folder / "tokenizer.json", json);
  return read_tokenizer_json(folder / "tokenizer.json", size);
}

std::string error_of(const Json& json, std::int64_t size = 8) {
  return message_of<FormatError>([&] { read(json, size); });
}

// What yona writes for others, it reads itself.
TEST(TokenizerReader, ReadsWhatTokenizerJsonWrites) {
  for (const SubwordAlgorithm algorithm : {SubwordAlgorithm::bpe, SubwordAlgorithm::unigram}) {
    SubwordTraining options;
    options.algorithm = algorithm;
    options.vocabulary_size = 420;
    options.normalization = "nmt_nfkc";
    const Subword trained(
        train_subword(testing::lines_of(testing::sample_sentences(300)), options, "sample"));
    const TempDir folder;
    write_json(folder / "tokenizer.json",
               Json::parse(tokenizer_json(trained.model(), trained.vocabulary())));
    const Subword again =
        read_tokenizer_json(folder / "tokenizer.json", trained.vocabulary().size());
    EXPECT_EQ(again.vocabulary(), trained.vocabulary());
    for (const char* text :
         {"the old farmer", "  two  spaces ", "ﬁne Ｆｕｌｌ", "日本 ☃", "", "x"}) {
      EXPECT_EQ(ids_of(again, text), ids_of(trained, text)) << text;
      EXPECT_EQ(again.decode(ids_of(trained, text)), trained.decode(ids_of(trained, text)));
    }
  }
}

TEST(TokenizerReader, PutsAddedTokensAndNamelessIdsIntoTheVocabulary) {
  const Subword subword = read(small_bpe());
  EXPECT_EQ(subword.vocabulary().size(), 8);
  EXPECT_EQ(subword.vocabulary().piece(6), "<mask>");
  EXPECT_THAT(ids_of(subword, "a<mask>a"), ElementsAre(5, 6, 5));
  EXPECT_EQ(subword.decode(std::vector<std::int32_t>{5, 6, 5, 0}), "a a");
}

TEST(TokenizerReader, AnAddedTokenWithoutTextIsNotFoundInAText) {
  Json json = small_bpe();
  json["added_tokens"].push_back({{"id", 7}, {"content", ""}});
  EXPECT_THAT(ids_of(read(json), "a<mask>a"), ElementsAre(5, 6, 5));
}

TEST(TokenizerReader, NamesStepsThatItDoesNotKnow) {
  Json json = small_bpe();
  json["normalizer"] = {{"type", "Lowercase"}};
  EXPECT_THAT(error_of(json), HasSubstr(R"(the normalizer {"type":"Lowercase"} is not supported)"));
  json = small_bpe();
  json["pre_tokenizer"] = {{"type", "Digits"}};
  EXPECT_THAT(error_of(json), HasSubstr("the pre_tokenizer"));
  json = small_bpe();
  json["model"]["type"] = "WordPiece";
  EXPECT_THAT(error_of(json), HasSubstr("a model of type 'WordPiece' is not supported"));
}

TEST(TokenizerReader, NamesWhatIsDamaged) {
  EXPECT_THAT(error_of(Json::object()), HasSubstr("it has no \"model\""));
  Json json = small_bpe();
  json["model"]["vocab"] = 5;
  EXPECT_THAT(error_of(json), HasSubstr("\"vocab\" is not a table of pieces"));
  json = small_bpe();
  json["model"]["merges"] = Json::array({7});
  EXPECT_THAT(error_of(json), HasSubstr("a merge cannot be 7"));
  for (const char* merge : {"", "#version: 0.2", "a b\nc d"}) {
    json["model"]["merges"] = Json::array({merge});
    EXPECT_THAT(error_of(json), HasSubstr("a merge cannot be \"")) << merge;
  }
  json = small_bpe();
  json["added_tokens"][0]["id"] = 4294967302;  // 2^32 + 6
  EXPECT_THAT(error_of(json), HasSubstr("an added token without content and id"));
  json = small_bpe();
  json["added_tokens"][0]["id"] = 5;
  EXPECT_THAT(error_of(json), HasSubstr("id 5 is both '▁a' and '<mask>'"));
  EXPECT_THAT(error_of(small_bpe(), 6), HasSubstr("'<mask>' has id 6, but the model only 6 ids"));
  json = small_bpe();
  json["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "*"}};
  EXPECT_THAT(error_of(json), HasSubstr("precompiled_charsmap is not base64"));
  json = small_bpe();
  json["model"]["type"] = 4;
  EXPECT_THAT(error_of(json), HasSubstr("tokenizer.json: a value is not as expected"));
}

}  // namespace
}  // namespace yona
