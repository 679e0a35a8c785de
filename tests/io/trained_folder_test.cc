// The files around the weights of a model that was trained on.

#include "yona/io/trained_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

fs::path fixture(const std::string& name) { return fs::path(YONA_FIXTURES) / "families" / name; }

TEST(TrainedFolder, GetsTheTokeniserButNeitherWeightsNorConfig) {
  const TempDir folder;
  copy_tokenizer_files(fixture("nllb"), folder.path());
  for (const char* name : {"sentencepiece.bpe.model", "tokenizer_config.json",
                           "special_tokens_map.json", "generation_config.json"}) {
    EXPECT_EQ(read_bytes(folder / name), read_bytes(fixture("nllb") / name)) << name;
  }
  EXPECT_FALSE(fs::exists(folder / "config.json"));
  EXPECT_FALSE(fs::exists(folder / "model.safetensors"));
  EXPECT_FALSE(fs::exists(folder / "expected.json"));
}

TEST(TrainedFolder, IsIdentifiedByItsTokenisersContent) {
  const TempDir folder;
  copy_tokenizer_files(fixture("bart"), folder.path());
  const std::string before = tokenizer_identity(folder.path());
  EXPECT_EQ(before, tokenizer_identity(fixture("bart")));
  EXPECT_THAT(before, HasSubstr("merges.txt"));
  write_bytes(folder / "generation_config.json", "{}");  // says nothing about text
  EXPECT_EQ(tokenizer_identity(folder.path()), before);
  write_bytes(folder / "merges.txt", "#version: 0.2\n");
  EXPECT_NE(tokenizer_identity(folder.path()), before);
}

class KeptLanguages : public ::testing::Test {
 protected:
  // Of this family's folder, told in these languages.
  void keep(const std::string& family, const Languages& languages) {
    copy_tokenizer_files(fixture(family), folder_.path());
    const ModelInfo info = read_model_info(fixture(family));
    const SubwordPair subwords = load_model_subwords(fixture(family), info);
    keep_languages(folder_.path(), subwords,
                   text_frame(fixture(family), describe(info), subwords, languages), languages);
    tokenizer_ = read_json(folder_ / "tokenizer_config.json");
    generation_ = read_json(folder_ / "generation_config.json");
  }
  TempDir folder_;
  Json tokenizer_, generation_;
};

TEST_F(KeptLanguages, AreSpelledAsTheTokeniserIsToldThem) {
  keep("m2m100", {"en", "de"});
  EXPECT_EQ(tokenizer_["src_lang"], "en");  // and not __en__
  EXPECT_EQ(tokenizer_["tgt_lang"], "de");
  EXPECT_EQ(generation_["forced_bos_token_id"], 207);
  EXPECT_EQ(generation_["num_beams"], 4);
  keep("mbart", {"en", "de"});
  EXPECT_EQ(tokenizer_["src_lang"], "en_XX");
  EXPECT_EQ(tokenizer_["tgt_lang"], "de_DE");
  EXPECT_EQ(generation_["decoder_start_token_id"], 193);
}

TEST_F(KeptLanguages, DoNotMakeItAnotherTokeniser) {
  keep("nllb", {"en", "de"});
  const std::string before = tokenizer_identity(folder_.path());
  keep("nllb", {"en", "fr"});
  EXPECT_EQ(tokenizer_identity(folder_.path()), before);
  tokenizer_["do_lower_case"] = true;
  write_json(folder_ / "tokenizer_config.json", tokenizer_);
  EXPECT_NE(tokenizer_identity(folder_.path()), before);
}

TEST_F(KeptLanguages, StayWordsWhereTheModelIsToldInWords) {
  keep("t5", {"en", "de"});
  EXPECT_EQ(tokenizer_["src_lang"], "en");
  EXPECT_EQ(tokenizer_["tgt_lang"], "de");
  EXPECT_FALSE(generation_.contains("forced_bos_token_id"));
}

TEST_F(KeptLanguages, AreNotWrittenWhereThereAreNone) {
  copy_tokenizer_files(fixture("bart"), folder_.path());
  keep_languages(folder_.path(),
                 load_model_subwords(fixture("bart"), read_model_info(fixture("bart"))), {}, {});
  EXPECT_FALSE(fs::exists(folder_ / "tokenizer_config.json"));
}

TEST(TrainedConfig, KeepsEveryKeyButTheTypeOfTheWeightsAndTheDecodersFirstInput) {
  ModelInfo info = read_model_info(fixture("mbart"));
  Json expected = read_json(fixture("mbart") / "config.json");
  info.config.departures.start_id = 193;
  expected["dtype"] = "float32";
  expected["decoder_start_token_id"] = 193;
  EXPECT_EQ(trained_config(info), expected);
  EXPECT_EQ(model_config(info), expected);
}

}  // namespace
}  // namespace yona::testing
