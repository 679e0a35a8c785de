// The kept folders (tests/fixtures/families) are read whole by tests/decode/families_test.cc; here
// are the choices between files and what is said when they are missing or wrong.

#include "yona/io/hf_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"
#include "yona/text/spm_file.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;

fs::path fixture(const char* family, const char* file) {
  return fs::path(YONA_FIXTURES) / "families" / family / file;
}

ModelDescription described(const std::string& family, std::int64_t vocabulary) {
  ModelDescription d;
  d.family = family;
  d.config.source_vocabulary = d.config.target_vocabulary = vocabulary;
  return d;
}

TEST(HfTokenizer, SaysWhichFilesItLookedFor) {
  const TempDir folder;
  EXPECT_THAT(message_of<FormatError>([&] { load_subwords(folder.path(), described("bart", 10)); }),
              HasSubstr("no sub-words: neither source.spm"));
}

TEST(HfTokenizer, NamesTheFileThatIsMissing) {
  const auto message = [](const TempDir& folder, const char* family) {
    return message_of<FormatError>([&] { load_subwords(folder.path(), described(family, 300)); });
  };
  const TempDir merges;
  fs::copy(fixture("bart", "merges.txt"), merges / "merges.txt");
  EXPECT_THAT(message(merges, "bart"), HasSubstr("merges.txt is there, but vocab.json is missing"));
  const TempDir vocabulary;
  fs::copy(fixture("bart", "vocab.json"), vocabulary / "vocab.json");
  EXPECT_THAT(message(vocabulary, "bart"),
              HasSubstr("vocab.json is there, but neither merges.txt"));
  const TempDir m2m100;
  fs::copy(fixture("m2m100", "sentencepiece.bpe.model"), m2m100 / "sentencepiece.bpe.model");
  write_json(m2m100 / "tokenizer_config.json", {{"tokenizer_class", "M2M100Tokenizer"}});
  EXPECT_THAT(message(m2m100, "m2m_100"),
              HasSubstr("vocab.json, which has the ids of M2M100's pieces, is missing"));
}

TEST(HfTokenizer, ShiftsIdsAsFairseqDoes) {
  const TempDir folder;
  fs::copy(fixture("mbart", "sentencepiece.bpe.model"), folder / "sentencepiece.bpe.model");
  const SubwordPair subwords = load_subwords(folder.path(), described("mbart", 600));
  const Vocabulary& vocabulary = subwords.source.vocabulary();
  EXPECT_EQ(vocabulary.piece(0), "<s>");
  EXPECT_EQ(vocabulary.pad(), 1);
  EXPECT_EQ(vocabulary.end(), 2);
  EXPECT_EQ(vocabulary.unknown(), 3);
  EXPECT_TRUE(vocabulary.find("sl_SI").has_value());  // room for the 52 of mBART-50
  EXPECT_EQ(vocabulary.size(), 600);
  EXPECT_THAT(vocabulary.piece(599), HasSubstr("unnamed"));  // an id beyond all names
  EXPECT_EQ(subwords.target.decode(std::vector<std::int32_t>{599, 2}), "");
}

TEST(HfTokenizer, TakesTokensAndIdsFromTokenizerConfig) {
  const TempDir folder;
  fs::copy(fixture("t5-gated", "spiece.model"), folder / "spiece.model");
  write_json(folder / "tokenizer_config.json",
             {{"added_tokens_decoder", {{"500", {{"content", "<tag>"}, {"special", true}}}}}});
  const SubwordPair subwords = load_subwords(folder.path(), described("t5", 501));
  EXPECT_EQ(subwords.source.vocabulary().piece(500), "<tag>");
  write_json(folder / "tokenizer_config.json", {{"added_tokens_decoder", {{"x", "<tag>"}}}});
  EXPECT_THAT(message_of<FormatError>([&] { load_subwords(folder.path(), described("t5", 501)); }),
              HasSubstr("added_tokens_decoder: 'x' is not an id"));
}

// As transformers 5 writes M2M100's tokenizer_config.json.
TEST(HfTokenizer, KnowsTheLanguagesThatTokenizerConfigLeavesOut) {
  const TempDir folder;
  for (const char* file : {"sentencepiece.bpe.model", "vocab.json"}) {
    fs::copy(fixture("m2m100", file), folder / file);
  }
  const Vocabulary expected =
      load_subwords(folder.path(), described("m2m_100", 600)).source.vocabulary();
  EXPECT_TRUE(expected.find("__de__").has_value());
  write_json(
      folder / "tokenizer_config.json",
      {{"added_tokens_decoder", {{"0", {{"content", "<s>"}}}, {"1", {{"content", "<pad>"}}}}}});
  EXPECT_EQ(load_subwords(folder.path(), described("m2m_100", 600)).source.vocabulary(), expected);
}

// Which id has the language, and which <mask>, counted from the first after the pieces.
std::vector<std::int32_t> places(const TempDir& folder, const std::string& family,
                                 const char* language, std::int64_t size = 600) {
  const SubwordPair subwords = load_subwords(folder.path(), described(family, size));
  const Vocabulary& vocabulary = subwords.source.vocabulary();
  const SpmFile pieces = parse_spm(std::string(subwords.source.model()), "sentencepiece.bpe.model");
  const auto after = static_cast<std::int32_t>(pieces.pieces.size()) + 1;
  return {vocabulary.find(language).value_or(after - 1) - after,
          vocabulary.find("<mask>").value_or(after - 1) - after};
}

// fairseq and transformers 4 number <mask> last, transformers 5 first. What is written out counts:
// ids of tokenizer_config.json, then those of tokenizer.json, then the names' order.
TEST(HfTokenizer, NumbersTheLanguagesOfNllbAsTheirFolderWasWritten) {
  const TempDir folder;
  fs::copy(fixture("nllb", "sentencepiece.bpe.model"), folder / "sentencepiece.bpe.model");
  EXPECT_THAT(places(folder, "m2m_100", "acm_Arab"), ElementsAre(2, 202));
  const Json names = {"ace_Arab", "ace_Latn", "acm_Arab"};
  write_json(folder / "tokenizer_config.json", {{"additional_special_tokens", names}});
  EXPECT_THAT(places(folder, "m2m_100", "acm_Arab"), ElementsAre(2, 3));
  write_json(folder / "tokenizer_config.json", {{"extra_special_tokens", names}});
  EXPECT_THAT(places(folder, "m2m_100", "acm_Arab"), ElementsAre(3, 0));
  write_json(folder / "tokenizer.json",
             {{"model", Json::object()},
              {"added_tokens", {{{"content", "acm_Arab"}, {"id", 410}, {"special", true}}}}});
  EXPECT_THAT(places(folder, "m2m_100", "acm_Arab").front(), 410 - 191);
}

// transformers 5 writes <s> and </s> among the languages.
TEST(HfTokenizer, HasNoPieceTwice) {
  const TempDir folder;
  fs::copy(fixture("mbart", "sentencepiece.bpe.model"), folder / "sentencepiece.bpe.model");
  write_json(folder / "tokenizer_config.json",
             {{"extra_special_tokens", {"<s>", "ar_AR", "cs_CZ", "</s>"}}});
  EXPECT_THAT(places(folder, "mbart", "cs_CZ"), ElementsAre(1, 2));
}

TEST(HfTokenizer, HasNoLanguagesWhereTheModelHasNoRoomForThem) {
  const TempDir folder;
  fs::copy(fixture("nllb", "sentencepiece.bpe.model"), folder / "sentencepiece.bpe.model");
  EXPECT_THAT(places(folder, "m2m_100", "eng_Latn", 300), ElementsAre(-1, 0));
}

TEST(HfTokenizer, KnowsTheLanguagesOfWmt21) {
  const TempDir folder;
  for (const char* file : {"sentencepiece.bpe.model", "vocab.json"}) {
    fs::copy(fixture("m2m100", file), folder / file);
  }
  write_json(folder / "tokenizer_config.json", {{"language_codes", "wmt21"}});
  const SubwordPair subwords = load_subwords(folder.path(), described("m2m_100", 600));
  EXPECT_TRUE(subwords.source.vocabulary().find("__ha__").has_value());
  EXPECT_FALSE(subwords.source.vocabulary().find("__fr__").has_value());
}

TEST(HfTokenizer, RefusesMorePiecesThanIds) {
  const TempDir folder;
  fs::copy(fixture("pegasus", "spiece.model"), folder / "spiece.model");
  EXPECT_THAT(
      message_of<FormatError>([&] { load_subwords(folder.path(), described("pegasus", 120)); }),
      HasSubstr("but the model only 120 ids"));
  write_json(folder / "tokenizer_config.json", {{"offset", 1}});
  EXPECT_THAT(
      message_of<FormatError>([&] { load_subwords(folder.path(), described("pegasus", 900)); }),
      HasSubstr("\"offset\" cannot be 1"));
}

}  // namespace
}  // namespace yona
