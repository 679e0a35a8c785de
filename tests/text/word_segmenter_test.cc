#include "yona/text/word_segmenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::int32_t> ids_of(const WordSegmenter& segmenter, std::string_view text) {
  std::vector<std::int32_t> ids;
  segmenter.encode(text, ids);
  return ids;
}

TEST(WordSegmenter, CutsAtSpacesAndPutsThemBack) {
  const auto vocabulary = std::make_shared<const Vocabulary>(
      std::vector<std::string>{"</s>", "<unk>", "zwei", "Hun@@", "de", "<pad>"});
  const WordSegmenter segmenter(vocabulary);
  EXPECT_THAT(ids_of(segmenter, "zwei Hun@@ de"), ElementsAre(2, 3, 4));
  EXPECT_THAT(ids_of(segmenter, " \t zwei   de\r"), ElementsAre(2, 4));
  EXPECT_THAT(ids_of(segmenter, "drei de"), ElementsAre(1, 4));
  EXPECT_THAT(ids_of(segmenter, ""), IsEmpty());
  EXPECT_THAT(ids_of(segmenter, "  "), IsEmpty());
  EXPECT_EQ(segmenter.decode(std::vector<std::int32_t>{2, 3, 4}), "zwei Hun@@ de");
  EXPECT_EQ(segmenter.decode({}), "");
}

}  // namespace
}  // namespace yona
