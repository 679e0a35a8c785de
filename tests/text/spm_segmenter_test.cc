// SentencePiece behind the segmenter's interface; its ids, bytes and draws. Subword's tests go
// through it too.

#include "yona/text/spm_segmenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::sample_model;

std::vector<std::int32_t> ids_of(const SpmSegmenter& segmenter, std::string_view text) {
  std::vector<std::int32_t> ids;
  segmenter.encode(text, ids);
  return ids;
}

std::vector<std::int32_t> draw(const SpmSegmenter& segmenter, std::string_view text, double alpha,
                               std::uint64_t key) {
  std::vector<std::int32_t> ids;
  segmenter.sample(text, alpha, key, ids);
  return ids;
}

TEST(SpmSegmenter, RefusesWhatIsNoModelByName) {
  for (const char* bytes : {"", "no model", "\x0a\x03"}) {
    EXPECT_THAT(message_of<FormatError>([&] { SpmSegmenter(bytes, nullptr, "mine.spm"); }),
                HasSubstr("mine.spm"));
  }
}

TEST(SpmSegmenter, NamesTheUserDefinedPiecesThatTheVocabularyHas) {
  const std::string model = sample_model(SubwordAlgorithm::bpe, 500, {"<BT>", ">>de<<"});
  const SpmSegmenter own(model, nullptr, "own");
  EXPECT_TRUE(own.has_own_vocabulary());
  EXPECT_THAT(own.user_defined(), ::testing::IsSupersetOf({"<BT>", ">>de<<"}));

  const auto few = std::make_shared<const Vocabulary>(
      std::vector<std::string>{"</s>", "<unk>", "<BT>", "<pad>"}, "few");
  const SpmSegmenter other(model, few, "other");
  EXPECT_FALSE(other.has_own_vocabulary());
  EXPECT_THAT(other.user_defined(), ::testing::ElementsAre("<BT>"));
}

TEST(SpmSegmenter, TellsWhatTheVocabularyLacksAsUnknown) {
  const auto few =
      std::make_shared<const Vocabulary>(std::vector<std::string>{"</s>", "<unk>", "<pad>"}, "few");
  const SpmSegmenter segmenter(sample_model(SubwordAlgorithm::bpe), few, "few");
  EXPECT_THAT(ids_of(segmenter, "die Katze"),
              ::testing::AllOf(::testing::Not(::testing::IsEmpty()), ::testing::Each(1)));
}

TEST(SpmSegmenter, WritesABlankWhereAPieceOfTheVocabularyAloneBeginsAWord) {
  const auto more = std::make_shared<const Vocabulary>(
      std::vector<std::string>{"</s>", "<unk>", "\u2581zzqx", "\u2581yyqx", "a", "<pad>"}, "more");
  const SpmSegmenter segmenter(sample_model(SubwordAlgorithm::bpe), more, "more");
  EXPECT_EQ(segmenter.decode(std::vector<std::int32_t>{2, 4, 3}), "zzqxa yyqx");
  EXPECT_EQ(segmenter.decode(std::vector<std::int32_t>{4, 2}), "a zzqx");
}

// As MarianTokenizer of transformers; SentencePiece keeps the tab.
TEST(SpmSegmenter, WritesNoWhiteSpaceAroundTextOfAVocabulary) {
  const auto tabs = std::make_shared<const Vocabulary>(
      std::vector<std::string>{"</s>", "<unk>", "\t", "a", "\u2581\t", "<pad>"}, "tabs");
  const SpmSegmenter segmenter(sample_model(SubwordAlgorithm::bpe), tabs, "tabs");
  EXPECT_EQ(segmenter.decode(std::vector<std::int32_t>{2, 3, 2, 3, 4}), "a\ta");
}

TEST(SpmSegmenter, DrawsByKeyAndKeepsTheText) {
  const SpmSegmenter segmenter(sample_model(SubwordAlgorithm::bpe), nullptr, "own");
  const std::string text = "der Nachbar liebt das Wörterbuch. 😀";
  EXPECT_EQ(draw(segmenter, text, 0.0, 1), ids_of(segmenter, text));
  EXPECT_EQ(draw(segmenter, text, 0.5, 1), draw(segmenter, text, 0.5, 1));
  EXPECT_NE(draw(segmenter, text, 0.5, 1), draw(segmenter, text, 0.5, 2));
  EXPECT_EQ(segmenter.decode(draw(segmenter, text, 0.5, 1)), text);
}

}  // namespace
}  // namespace yona
