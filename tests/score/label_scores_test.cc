// tests/fixtures/score/labels.json has what scikit-learn and SciPy give for the same labels;
// tests/score/sklearn_test.py compares random ones where they are installed.
#include "yona/score/label_scores.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/score/fixture.h"

namespace yona {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

NamedSegments named(const Json& labels) {
  return {"labels", labels.get<std::vector<std::string>>()};
}

TEST(LabelScores, AreThoseOfScikitLearnAndScipyToTheLastBit) {
  int figures = 0;
  const Json fixture = testing::score_fixture("labels");
  for (const Json& test_case : fixture["cases"]) {
    SCOPED_TRACE(test_case.dump());
    const NamedSegments predicted = named(test_case["predicted"]);
    const LabelScorer scorer(named(test_case["expected"]), {predicted});
    for (const auto& [metric, value] : test_case["scores"].items()) {
      const double score = scorer.score(metric, predicted).value;
      if (value.is_null()) {
        EXPECT_TRUE(std::isnan(score)) << metric;
      } else {
        EXPECT_EQ(score, value.get<double>()) << metric;
      }
      ++figures;
    }
  }
  EXPECT_GT(figures, 50);
}

TEST(LabelScores, NameThePositiveClass) {
  const NamedSegments expected{"ref", {"yes", "no", "yes"}};
  const NamedSegments predicted{"hyp", {"yes", "yes", "no"}};
  const LabelScorer second(expected, {predicted});
  EXPECT_EQ(second.score("f1", predicted).value, 0.5);
  EXPECT_THAT(second.signature("f1", SignatureStyle::full),
              HasSubstr("average:binary|positive:yes|classes:2|version:yona-"));
  const LabelScorer first(expected, {predicted}, "no");
  EXPECT_EQ(first.score("f1", predicted).value, 0.0);
  EXPECT_THAT([&] { LabelScorer(expected, {predicted}, "maybe"); },
              ThrowsMessage<InvalidArgument>(
                  HasSubstr("--positive: no label is 'maybe'; there are no, yes")));
}

TEST(LabelScores, OfThreeClassesOneAloneCanBeTaken) {
  const NamedSegments expected{"ref", {"a", "b", "c", "a"}};
  const NamedSegments predicted{"hyp", {"a", "b", "b", "c"}};
  EXPECT_THAT(LabelScorer(expected, {predicted}).signature("f1", SignatureStyle::full),
              HasSubstr("average:macro|classes:3"));
  EXPECT_EQ(LabelScorer(expected, {predicted}, "b").score("f1", predicted).value, 2.0 / 3.0);
}

TEST(LabelScores, SpearmanRefusesWords) {
  const NamedSegments expected{"ref", {"1", "high"}};
  EXPECT_THAT([&] { LabelScorer(expected, {expected}).score("spearman", expected); },
              ThrowsMessage<FormatError>(
                  "ref: label 2 is 'high', not a number; spearman compares numbers"));
}

}  // namespace
}  // namespace yona
