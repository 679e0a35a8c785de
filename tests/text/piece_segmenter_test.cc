#include "yona/text/piece_segmenter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Keeps the words.
class WordKeeper final : public PieceSegmenter {
 public:
  explicit WordKeeper(PieceTextOptions options)
      : PieceSegmenter(
            std::make_shared<const Vocabulary>(std::vector<std::string>{"</s>", "<unk>", "<pad>"}),
            std::move(options)) {}
  mutable std::vector<std::string> words;

 protected:
  void encode_word(std::string_view word, std::vector<std::int32_t>& /*ids*/) const override {
    words.emplace_back(word);
  }
};

std::vector<std::string> words_of(const PieceTextOptions& options, std::string_view text,
                                  std::string_view rest = {}) {
  const WordKeeper keeper(options);
  std::vector<std::int32_t> ids;
  keeper.encode(text, ids);
  if (!rest.empty()) {
    keeper.encode_rest(rest, ids);
  }
  return keeper.words;
}

TEST(PieceSegmenter, WritesAMarkBeforePartsOfAText) {
  EXPECT_THAT(words_of({.prefix = WordPrefix::always}, "a b", "c d"),
              ElementsAre("▁a", "▁b", "▁c", "▁d"));
  EXPECT_THAT(words_of({.prefix = WordPrefix::first}, "a b", "c d"),
              ElementsAre("▁a", "▁b", "c", "▁d"));
  EXPECT_THAT(words_of({.prefix = WordPrefix::never}, "a b", "c d"),
              ElementsAre("a", "▁b", "c", "▁d"));
  EXPECT_THAT(words_of({.prefix = WordPrefix::always}, " a", ""), ElementsAre("▁a"));
  EXPECT_THAT(words_of({.prefix = WordPrefix::always}, ""), IsEmpty());
}

TEST(PieceSegmenter, TheFirstOfSeveralWordsHasTheMark) {
  PieceTextOptions options{.splits_at_whitespace = true, .prefix = WordPrefix::first};
  EXPECT_THAT(words_of(options, "a b", "c d"), ElementsAre("▁a", "b", "c", "d"));
  EXPECT_THAT(words_of(options, " a b"), ElementsAre("a", "b"));
  options.prefix = WordPrefix::always;
  EXPECT_THAT(words_of(options, " a\tb", "c d"), ElementsAre("▁a", "▁b", "▁c", "▁d"));
}

TEST(PieceSegmenter, ATextMayBeOneWord) {
  EXPECT_THAT(words_of({.splits_words = false}, "a b"), ElementsAre("▁a▁b"));
}

TEST(WithoutSpace, StripsWhatUnicodeCallsWhiteSpace) {
  EXPECT_EQ(without_space(" \u3000a b\u00A0\t", true, true), "a b");
  EXPECT_EQ(without_space(" a ", false, true), " a");
  EXPECT_EQ(without_space(" a ", true, false), "a ");
  EXPECT_EQ(without_space(" \t", true, true), "");
  EXPECT_EQ(without_space("\xA0", true, true), "\xA0");
  EXPECT_EQ(without_space("a \x80", false, true), "a \x80");
}

TEST(WithSingleSpaces, LeavesSingleOnes) {
  EXPECT_EQ(with_single_spaces(" a   b  ", "▁"), " a▁b▁");
  EXPECT_EQ(replaced("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replaced("abc", "", "x"), "abc");
}

}  // namespace
}  // namespace yona
