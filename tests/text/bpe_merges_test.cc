#include "yona/text/bpe_merges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::yona::testing::message_of;

const Vocabulary kLetters({"</s>", "<unk>", "<pad>", "a", "b", "c", "ab", "bc", "aa", "abc"});

std::vector<std::string> merged(const std::vector<BpeMerges::Pair>& merges, std::string_view word) {
  std::vector<std::int32_t> symbols;
  for (const char c : word) {
    symbols.push_back(kLetters.id(std::string(1, c)));
  }
  BpeMerges(merges, kLetters, "test").merge(symbols);
  std::vector<std::string> pieces;
  for (const std::int32_t id : symbols) {
    pieces.push_back(kLetters.piece(id));
  }
  return pieces;
}

TEST(BpeMerges, TakesTheFirstMergeOfTheListFirst) {
  EXPECT_THAT(merged({{"a", "b"}, {"b", "c"}}, "abc"), ElementsAre("ab", "c"));
  EXPECT_THAT(merged({{"b", "c"}, {"a", "b"}}, "abc"), ElementsAre("a", "bc"));
  EXPECT_THAT(merged({{"b", "c"}, {"a", "bc"}}, "abcabc"), ElementsAre("abc", "abc"));
}

TEST(BpeMerges, TakesTheLeftmostOfEqualPairs) {
  EXPECT_THAT(merged({{"a", "a"}}, "aaa"), ElementsAre("aa", "a"));
  EXPECT_THAT(merged({{"a", "a"}}, "aaaa"), ElementsAre("aa", "aa"));
}

TEST(BpeMerges, LeavesAloneWhatHasNoMerge) {
  EXPECT_THAT(merged({}, "abc"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(merged({{"a", "b"}}, ""), IsEmpty());
  EXPECT_THAT(merged({{"a", "b"}}, "a"), ElementsAre("a"));
}

TEST(BpeMerges, NamesAPieceThatIsNotThere) {
  EXPECT_THAT(message_of<FormatError>([] {
                BpeMerges({{"a", "c"}}, kLetters, "m.txt");
              }),
              HasSubstr("m.txt: merge 1: 'ac' is not in the vocabulary"));
}

TEST(ParseMerges, ReadsTwoPiecesALine) {
  EXPECT_THAT(parse_merges("#version: 0.2\na b\r\nab c\n\n", "m.txt"),
              ElementsAre(Pair("a", "b"), Pair("ab", "c")));
  EXPECT_THAT(parse_merges("# b", "m.txt"), ElementsAre(Pair("#", "b")));
  EXPECT_THAT(message_of<FormatError>([] { parse_merges("a b\nabc\n", "m.txt"); }),
              HasSubstr("m.txt:2: 'abc' is not two pieces with a space between"));
  EXPECT_THAT(message_of<FormatError>([] { parse_merges("a b c\n", "m.txt"); }),
              HasSubstr("m.txt:1:"));
}

}  // namespace
}  // namespace yona
