#include "yona/inspect/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/inspect/small_maps.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;
using Links = std::vector<AlignmentLink>;

GoldAlignment gold(std::string_view line, std::int64_t base = 0) {
  return parse_alignment(line, base, "gold:7");
}

TEST(Alignment, ReadsSureAndPossibleLinks) {
  const GoldAlignment links = gold(" 1-0  0p2 0?1\t1-0\r");
  EXPECT_EQ(links.sure, (Links{{1, 0}}));
  EXPECT_EQ(links.possible, (Links{{0, 1}, {0, 2}, {1, 0}}));
  EXPECT_TRUE(gold("").possible.empty());
  EXPECT_EQ(gold("1-1", 1).sure, (Links{{0, 0}}));
}

TEST(Alignment, NamesWhatIsNoLink) {
  for (const std::string word :
       {"1", "1-", "-1", "a-b", "1-2-3", "1--2", "1x2", "99999999999999999999-1"}) {
    EXPECT_EQ(message_of<FormatError>([&] { gold("0-0 " + word); }),
              "gold:7: '" + word + "' is not a link; expected 3-4 (sure) or 3p4 (possible)");
  }
  EXPECT_EQ(message_of<FormatError>([] { gold("0-1", 1); }),
            "gold:7: '0-1' lies before the first word, which is 1; see --gold-base");
}

TEST(Alignment, LeavesOutLinksBeyondTheSentence) {
  GoldAlignment links = gold("0-0 0-3 2p0");
  EXPECT_EQ(drop_outside(links, 2, 3), 2);
  EXPECT_EQ(links.possible, (Links{{0, 0}}));
  EXPECT_EQ(links.sure, (Links{{0, 0}}));
}

TEST(Alignment, TakesTheBestSourceWordOfEachTargetWord) {
  const std::vector<float> weights{0.1F, 0.9F, 0.0F, 0.0F, 0.5F, 0.4F};
  EXPECT_EQ(hard_alignment(weights, 2, 3), (Links{{1, 0}, {0, 2}}));  // the second sees nothing
  EXPECT_TRUE(hard_alignment({}, 0, 3).empty());
}

// Och and Ney 2003: P is what is possible, R what is sure.
TEST(Alignment, ScoresAsOchAndNey) {
  AlignmentScore score;
  score.add({{0, 0}, {1, 1}, {2, 2}}, gold("0-0 3-3 1p1"));
  EXPECT_DOUBLE_EQ(score.precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(score.recall(), 1.0 / 2);
  EXPECT_DOUBLE_EQ(score.error_rate(), 1 - 3.0 / 5);
  score.add({{0, 0}}, gold("0-0"));
  EXPECT_DOUBLE_EQ(score.error_rate(), 1 - 5.0 / 7);
  EXPECT_EQ(AlignmentScore{}.error_rate(), 0.0);
}

WordTokens words(const std::vector<std::int64_t>& word_of) {
  WordTokens tokens;
  tokens.word_of = word_of;
  tokens.ids.resize(word_of.size());
  tokens.words.resize(static_cast<std::size_t>(word_of.back() + 1));
  return tokens;
}

TEST(Alignment, IsReadAtWritingAndAtReadingATargetWord) {
  // Head 1 of the small maps looks at piece i when it writes target piece i, head 2 one further.
  AlignmentScores scores;
  scores.add(small_maps(), words({0, 1}), words({0, 1}), gold("0-0 1-1"));
  ASSERT_EQ(scores.entries().size(), 12U);  // two layers of two heads and their mean, read twice
  EXPECT_EQ(scores.entries()[0].score.error_rate(), 0.0);
  EXPECT_EQ(scores.entries()[0].at, AlignAt::writing);
  EXPECT_EQ(scores.best()->layer, 0);
  EXPECT_EQ(scores.best()->head, 0);
  EXPECT_GT(scores.entries()[1].score.error_rate(), 0.0);
}

TEST(Alignment, IsPrintedAsATableAndAsJson) {
  AlignmentScores scores;
  EXPECT_EQ(scores.best(), nullptr);
  scores.add(small_maps(), words({0, 1}), words({0, 1}), gold("0-0 1-1"));
  const std::string table = alignment_table(scores);
  EXPECT_THAT(table, HasSubstr("layer  head 1  head 2    mean\n    1     0.0"));
  EXPECT_THAT(table, HasSubstr("best: layer 1, head 1, at writing: error rate 0.0 %, precision "
                               "100.0 %, recall 100.0 %\n"));
  const Json json = alignment_json(scores);
  EXPECT_EQ(json.at(0).at("error_rate"), 0.0);
  EXPECT_EQ(json.at(4).at("head"), "mean");
}

}  // namespace
}  // namespace yona::testing
