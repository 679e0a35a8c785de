// The kept folders (tests/fixtures/families) are read whole by tests/decode/families_test.cc; here
// are the choices between files and what is said when they are missing or wrong.

#include "yona/io/hf_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/json_file.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;

fs::path fixture(const char* family, const char* file) {
  return fs::path(YONA_FIXTURES) / "families" / family / file;
}

ModelDescription described(const std::string& family, std::int64_t vocabulary) {
  ModelDescription d;
  d.family = family;
  d.source_vocab = d.target_vocab = vocabulary;
  return d;
}

TEST(HfTokenizer, SaysWhichFilesItLookedFor) {
  const TempDir folder;
  EXPECT_THAT(message_of<FormatError>([&] { load_subwords(folder.path(), described("bart", 10)); }),
              HasSubstr("no sub-words: neither source.spm"));
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
              HasSubstr("added_tokens_decoder: 'x' is no id"));
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
