#include "yona/text/tokenizer/plain_segmenters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona::testing {
namespace {

using ::testing::ElementsAre;

const std::shared_ptr<const Vocabulary> kVocabulary = std::make_shared<const Vocabulary>(
    std::vector<std::string>{"</s>", "<unk>", "<pad>", "a", "ä", " ", "word"});

TEST(PlainSegmenters, CutCharacters) {
  std::vector<std::int32_t> ids;
  const CharacterSegmenter segmenter(kVocabulary);
  segmenter.encode("aä x", ids);
  EXPECT_THAT(ids, ElementsAre(3, 4, 5, 1));
  ids.pop_back();
  EXPECT_EQ(segmenter.decode(ids), "aä ");
}

TEST(PlainSegmenters, CutWordsAtWhiteSpace) {
  std::vector<std::int32_t> ids;
  const WhitespaceSegmenter segmenter(kVocabulary);
  segmenter.encode("  word\ta\n\u3000other ", ids);
  EXPECT_THAT(ids, ElementsAre(6, 3, 1));
  EXPECT_EQ(segmenter.decode(ids), "word a <unk>");
  EXPECT_TRUE(whitespace_words(" \n").empty());
}

}  // namespace
}  // namespace yona::testing
