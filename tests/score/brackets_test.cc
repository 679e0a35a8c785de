#include "yona/score/brackets.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/score/report.h"
#include "yona/score/significance.h"

namespace yona {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kGold{"(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))",
                                     "(S (NP (PRP it)) (VP (VBZ rains)))", "(S (NN a))"};
const std::vector<std::string> kTest{"(S (NP (DT the)) (VP (NN cat) (VBZ sleeps)))",
                                     "(S (NP (PRP it)) (VP (NNS rains)))", "(S (NN b))"};

References gold_references() { return {{kGold[0]}, {kGold[1]}, {kGold[2]}}; }

double figure(const Score& score, std::string_view name) {
  for (const ScoreFigure& entry : score.figures) {
    if (entry.name == name) {
      return entry.value;
    }
  }
  ADD_FAILURE() << name;
  return NAN;
}

TEST(Brackets, GivesF1AndItsFigures) {
  const Brackets metric;
  const Score score = metric.score(corpus_statistics(metric, kTest, gold_references()).sums());
  EXPECT_EQ(score.name, "Brackets");
  EXPECT_DOUBLE_EQ(score.value, 100.0 * 4 / 6);
  EXPECT_DOUBLE_EQ(figure(score, "recall"), 100.0 * 4 / 6);
  EXPECT_DOUBLE_EQ(figure(score, "complete_match"), 50);
  EXPECT_DOUBLE_EQ(figure(score, "average_crossing"), 0.5);
  EXPECT_DOUBLE_EQ(figure(score, "no_crossing"), 50);
  EXPECT_DOUBLE_EQ(figure(score, "two_or_less_crossing"), 100);
  EXPECT_DOUBLE_EQ(figure(score, "tagging_accuracy"), 80);
  EXPECT_EQ(figure(score, "sentences"), 3);
  EXPECT_EQ(figure(score, "error_sentences"), 1);
  EXPECT_EQ(figure(score, "valid_sentences"), 2);
  EXPECT_EQ(figure(score, "len40_matched_brackets"), 4);
  EXPECT_THAT(score.details, HasSubstr("R = 66.67 P = 66.67 complete = 50.00"));
  EXPECT_THAT(score.details, HasSubstr("sentences = 3 errors = 1 skipped = 0"));
}

TEST(Brackets, CountsLongSentencesApart) {
  std::string gold = "(S";
  for (int i = 0; i < 40; ++i) {
    gold += " (NN a)";
  }
  const Brackets metric;
  const auto short_count = [&](const std::string& line) {
    const std::vector<std::string> lines{line};
    return figure(metric.score(corpus_statistics(metric, lines, {{line}}).sums()),
                  "len40_sentences");
  };
  EXPECT_EQ(short_count(gold + ")"), 1);
  EXPECT_EQ(short_count(gold + " (-NONE- *))"), 1);
  EXPECT_EQ(short_count(gold + " (. .))"), 0);
}

TEST(Brackets, IsZeroWhereNothingCanBeCounted) {
  const Brackets metric;
  const std::vector<std::string> nothing{""};
  const auto sums = corpus_statistics(metric, nothing, {{"(S (NN a))"}}).sums();
  EXPECT_EQ(metric.score(sums).value, 0.0);
  EXPECT_TRUE(std::isnan(all_sentences(sums).f1()));
  EXPECT_EQ(figure(metric.score(sums), "skipped_sentences"), 1);
}

TEST(Brackets, HasASignatureAndJson) {
  const Brackets metric;
  EXPECT_EQ(signature(metric, {.references = 1}),
            "nrefs:1|params:COLLINS|cutoff:40|version:yona-" YONA_VERSION);
  ScoreReport report;
  report.score = metric.score(corpus_statistics(metric, kTest, gold_references()).sums());
  report.signature = signature(metric, {.references = 1});
  const Json json = to_json(report, 2);
  EXPECT_EQ(json["score"], 66.67);
  EXPECT_EQ(json["params"], "COLLINS");
  EXPECT_EQ(json["figures"]["tagging_accuracy"], 80.0);
  EXPECT_TRUE(json["figures"]["len40_sentences"].is_number_integer());
}

TEST(Brackets, WorksWithTestsOfSignificance) {
  const Brackets metric;
  const std::vector<SegmentStatistics> systems{corpus_statistics(metric, kTest, gold_references()),
                                               corpus_statistics(metric, kGold, gold_references())};
  const auto results = paired_bootstrap(metric, systems, {.samples = 200});
  EXPECT_DOUBLE_EQ(results[1].score, 100);
  EXPECT_TRUE(results[1].p_value.has_value());
}

TEST(Brackets, TakesOneGoldTree) {
  const Brackets metric;
  const std::vector<std::string> test{"(S (NN a))"};
  EXPECT_THROW(corpus_statistics(metric, test, {{"(S (NN a))", "(S (NN a))"}}), InvalidArgument);
}

}  // namespace
}  // namespace yona
