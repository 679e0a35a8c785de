#include "yona/text/byte_level_bpe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::yona::testing::message_of;

TEST(SplitWords, FollowsThePatternOfGpt2) {
  EXPECT_THAT(split_words(""), IsEmpty());
  EXPECT_THAT(split_words("a"), ElementsAre("a"));
  EXPECT_THAT(split_words("Hello world"), ElementsAre("Hello", " world"));
  EXPECT_THAT(split_words("  two  spaces "), ElementsAre(" ", " two", " ", " spaces", " "));
  EXPECT_THAT(split_words("they'll can't I'd"),
              ElementsAre("they", "'ll", " can", "'t", " I", "'d"));
  EXPECT_THAT(split_words("'S 's"), ElementsAre("'", "S", " '", "s"));
  EXPECT_THAT(split_words("abc123 45,6"), ElementsAre("abc", "123", " 45", ",", "6"));
  EXPECT_THAT(split_words("a\tb\n\nc"), ElementsAre("a", "\t", "b", "\n", "\n", "c"));
  EXPECT_THAT(split_words("a \t b"), ElementsAre("a", " \t", " b"));
  EXPECT_THAT(split_words("今日は、 良い"), ElementsAre("今日は", "、", " 良い"));
  EXPECT_THAT(split_words("½ ① é\u00A0x"), ElementsAre("½", " ①", " é", "\u00A0", "x"));
}

// Every byte, and what a few merges make of them.
std::shared_ptr<const Vocabulary> byte_vocabulary() {
  std::vector<std::string> pieces = {"<s>", "<pad>", "</s>", "<unk>"};
  char32_t next = 0x100;
  for (int byte = 0; byte < 256; ++byte) {
    const bool visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    const char32_t c = visible ? static_cast<char32_t>(byte) : next++;
    pieces.push_back(c < 128 ? std::string(1, static_cast<char>(c))
                             : std::string{static_cast<char>(0xC0U | (c >> 6U)),
                                           static_cast<char>(0x80U | (c & 63U))});
  }
  for (const char* merged : {"he", "ll", "hell", "Ġo", "Ã¤"}) {
    pieces.emplace_back(merged);
  }
  return std::make_shared<const Vocabulary>(pieces);
}

const std::vector<BpeMerges::Pair> kMerges = {
    {"h", "e"}, {"l", "l"}, {"he", "ll"}, {"Ġ", "o"}, {"Ã", "¤"}};

std::vector<std::string> pieces_of(const ByteLevelBpe& bpe, std::string_view text) {
  std::vector<std::int32_t> ids;
  bpe.encode(text, ids);
  std::vector<std::string> pieces;
  for (const std::int32_t id : ids) {
    pieces.push_back(byte_vocabulary()->piece(id));
  }
  return pieces;
}

TEST(ByteLevelBpe, MergesBytesWithinWords) {
  const ByteLevelBpe bpe(byte_vocabulary(), kMerges, {}, "test");
  EXPECT_THAT(pieces_of(bpe, "hello o"), ElementsAre("hell", "o", "Ġo"));
  EXPECT_THAT(pieces_of(bpe, "ä"), ElementsAre("Ã¤"));
  EXPECT_THAT(pieces_of(bpe, ""), IsEmpty());
  const ByteLevelBpe prefixed(byte_vocabulary(), kMerges, {.add_prefix_space = true}, "test");
  EXPECT_THAT(pieces_of(prefixed, "o"), ElementsAre("Ġo"));
  EXPECT_THAT(pieces_of(prefixed, " o"), ElementsAre("Ġo"));
  EXPECT_THAT(pieces_of(prefixed, "\to"), ElementsAre("Ġ", "ĉ", "o"));  // no space: one is added
}

TEST(ByteLevelBpe, TakesWholeWordsWithoutMerging) {
  const ByteLevelBpe bpe(byte_vocabulary(), {{"h", "e"}}, {.takes_whole_words = true}, "test");
  EXPECT_THAT(pieces_of(bpe, "hell"), ElementsAre("hell"));
  EXPECT_THAT(pieces_of(bpe, "hello"), ElementsAre("he", "l", "l", "o"));
  EXPECT_THAT(pieces_of(bpe, "ä o"), ElementsAre("Ã¤", "Ġo"));
}

TEST(ByteLevelBpe, GivesEveryTextBack) {
  const ByteLevelBpe bpe(byte_vocabulary(), kMerges, {}, "test");
  std::string controls("\0\x01\x7F", 3);
  for (const std::string& text : {std::string("hello ä 今日 😀\n\t"), controls, std::string("  ")}) {
    std::vector<std::int32_t> ids;
    bpe.encode(text, ids);
    EXPECT_EQ(bpe.decode(ids), text);
  }
  std::vector<std::int32_t> half;
  bpe.encode("日", half);
  half.pop_back();
  EXPECT_THAT(bpe.decode(half), HasSubstr("\uFFFD"));
}

TEST(ByteLevelBpe, NamesAByteThatIsMissing) {
  const auto few =
      std::make_shared<const Vocabulary>(std::vector<std::string>{"</s>", "<unk>", "<pad>", "a"});
  EXPECT_THAT(message_of<FormatError>([&] { ByteLevelBpe(few, {}, {}, "v.json"); }),
              HasSubstr("v.json: not byte-level BPE: the vocabulary has no"));
}

}  // namespace
}  // namespace yona
