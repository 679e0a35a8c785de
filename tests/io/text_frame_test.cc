#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/io/hf_tokenizer.h"
#include "yona/io/json_file.h"
#include "yona/text/byte_level_bpe.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::yona::testing::message_of;
using ::yona::testing::TempDir;

class NoText : public Segmenter {
 public:
  void encode(std::string_view text, std::vector<std::int32_t>& ids) const override {
    ids.push_back(static_cast<std::int32_t>(text.size()));
  }
  std::string decode(std::span<const std::int32_t> /*ids*/) const override { return ""; }
};

SubwordPair with_pieces(std::vector<std::string> more) {
  std::vector<std::string> pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  pieces.insert(pieces.end(), more.begin(), more.end());
  const Subword both(std::make_shared<const NoText>(),
                     std::make_shared<const Vocabulary>(std::move(pieces)), "test");
  return {both, both};
}

class TextFrames : public ::testing::Test {
 protected:
  TextFrame frame(const std::string& family, const SubwordPair& subwords,
                  const Languages& languages, std::int64_t start = 2) {
    ModelDescription d;
    d.family = family;
    d.config.source_vocabulary = d.config.target_vocabulary = 10;
    d.eos_id = 2;
    d.config.departures.start_id = start;
    return text_frame(folder_.path(), d, subwords, languages);
  }
  TempDir folder_;
};

TEST_F(TextFrames, EndWithTheEndOfTheSentence) {
  const TextFrame pegasus = frame("pegasus", with_pieces({}), {});
  EXPECT_THAT(pegasus.before_source, IsEmpty());
  EXPECT_THAT(pegasus.after_source, ElementsAre(2));
  EXPECT_THAT(pegasus.before_target, IsEmpty());
  EXPECT_THAT(pegasus.after_target, ElementsAre(2));
  const TextFrame bart = frame("bart", with_pieces({}), {});
  EXPECT_THAT(bart.before_source, ElementsAre(0));
  EXPECT_THAT(bart.before_target, ElementsAre(0));
  EXPECT_THAT(bart.after_target, ElementsAre(2));
}

TEST_F(TextFrames, OfMbartNameTheSourceAtItsEndAndBeginWithTheTarget) {
  const SubwordPair subwords = with_pieces({"en_XX", "de_DE"});
  const TextFrame found = frame("mbart", subwords, {"en_XX", "de"}, 5);
  EXPECT_THAT(found.before_source, IsEmpty());
  EXPECT_THAT(found.after_source, ElementsAre(2, 4));
  EXPECT_EQ(found.start, 5);
  EXPECT_EQ(found.first, -1);
  EXPECT_THAT(found.before_target, IsEmpty());
  EXPECT_THAT(found.after_target, ElementsAre(2, 5));
}

TEST_F(TextFrames, OfMbart50AndM2mBeginWithTheLanguages) {
  const TextFrame fifty = frame("mbart", with_pieces({"en_XX", "de_DE", "af_ZA"}), {"en", "de"});
  EXPECT_THAT(fifty.before_source, ElementsAre(4));
  EXPECT_THAT(fifty.after_source, ElementsAre(2));
  EXPECT_EQ(fifty.first, 5);
  const TextFrame m2m = frame("m2m_100", with_pieces({"__en__", "__de__"}), {"en", "de"});
  EXPECT_THAT(m2m.before_source, ElementsAre(4));
  EXPECT_EQ(m2m.first, 5);
  EXPECT_THAT(m2m.before_target, ElementsAre(5));
  EXPECT_THAT(m2m.after_target, ElementsAre(2));
}

TEST_F(TextFrames, OfNllbFollowTheFoldersOrderAndLanguages) {
  const SubwordPair subwords = with_pieces({"eng_Latn", "deu_Latn", "zho_Hans", "zho_Hant"});
  EXPECT_THAT(frame("m2m_100", subwords, {"en", "de"}).before_source, ElementsAre(4));
  write_json(folder_ / "tokenizer_config.json",
             {{"legacy_behaviour", true}, {"src_lang", "eng_Latn"}, {"tgt_lang", "deu_Latn"}});
  const TextFrame legacy = frame("m2m_100", subwords, {});
  EXPECT_THAT(legacy.after_source, ElementsAre(2, 4));
  EXPECT_EQ(legacy.first, 5);
  EXPECT_THAT(legacy.before_target, ElementsAre(5));
}

TEST_F(TextFrames, OfSeveralLanguagesTakeTheSourceForEnglishWhenNobodySays) {
  const SubwordPair mbart = with_pieces({"de_DE", "en_XX"});
  EXPECT_THAT(frame("mbart", mbart, {"", "de"}).after_source, ElementsAre(2, 5));
  const SubwordPair m2m = with_pieces({"__de__", "__en__"});
  EXPECT_THAT(frame("m2m_100", m2m, {"", "de"}).before_source, ElementsAre(5));
  const SubwordPair nllb = with_pieces({"deu_Latn", "eng_Latn"});
  EXPECT_THAT(frame("m2m_100", nllb, {"", "de"}).before_source, ElementsAre(5));
  EXPECT_THAT(frame("m2m_100", with_pieces({"__de__"}), {"", "de"}).before_source, IsEmpty());
}

TEST_F(TextFrames, OfMarianTagTheSourceWithTheTarget) {
  const SubwordPair subwords = with_pieces({">>deu<<", ">>fra<<"});
  EXPECT_THAT(frame("marian", subwords, {"en", "fr"}).before_source, ElementsAre(5));
  EXPECT_THAT(frame("marian", subwords, {}).before_source, IsEmpty());
  EXPECT_THAT(frame("marian", with_pieces({}), {"en", "fr"}).before_source, IsEmpty());
}

TEST_F(TextFrames, OfT5SayWhatToDoInWords) {
  const std::string words = "translate English to German:";
  EXPECT_THAT(frame("t5", with_pieces({}), {"en", "de"}).before_source,
              ElementsAre(static_cast<std::int32_t>(words.size())));
  EXPECT_THAT(frame("t5", with_pieces({}), {}).before_source, IsEmpty());
  write_json(folder_ / "tokenizer_config.json", {{"src_lang", "en"}, {"tgt_lang", "fr"}});
  EXPECT_THAT(frame("t5", with_pieces({}), {}).before_source,
              ElementsAre(static_cast<std::int32_t>(words.size())));  // "French" is as long
}

TEST_F(TextFrames, NameTheFlagAndTheLanguagesThereAre) {
  const SubwordPair subwords = with_pieces({"eng_Latn", "zho_Hans", "zho_Hant"});
  const auto error = [&](const Languages& languages) {
    return message_of<InvalidArgument>([&] { frame("m2m_100", subwords, languages); });
  };
  EXPECT_EQ(error({"xx", ""}),
            "--src-lang: the model has no language 'xx'; it has eng_Latn, zho_Hans, zho_Hant");
  const SubwordPair many = with_pieces(
      {"aa_AA", "bb_BB", "cc_CC", "dd_DD", "ee_EE", "ff_FF", "gg_GG", "hh_HH", "ii_II", "jj_JJ"});
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              frame("mbart", many, {"xx", ""});
            }),
            "--src-lang: the model has no language 'xx'; it has aa_AA, bb_BB, cc_CC, dd_DD, ee_EE, "
            "ff_FF, gg_GG, hh_HH and 2 others");
  EXPECT_EQ(error({"en", "zh"}), "--tgt-lang: 'zh' can be zho_Hans or zho_Hant; say which");
}

TEST(LanguageTokens, AreToldByTheirForm) {
  const Vocabulary vocabulary({"</s>", "<unk>", "<pad>", "en_XX", "eng_Latn", "__en__", ">>eng<<",
                               "▁a_b", "EN_xx", "__", "a_Latn", "word_Word"});
  EXPECT_THAT(language_tokens(vocabulary), ElementsAre("en_XX", "eng_Latn", "__en__", ">>eng<<"));
}

}  // namespace
}  // namespace yona
