#include "yona/api/score.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/score/bleu.h"

namespace yona {
namespace {

const std::vector<std::string> kHypotheses{"the cat sat on the mat .", "two dogs run ."};
const std::vector<std::vector<std::string>> kReferences{{"the cat is on the mat ."},
                                                        {"two dogs are running ."}};

// sacreBLEU 2.6: corpus_bleu, corpus_chrf and corpus_ter of the same lines.
TEST(CorpusScore, IsSacreBleus) {
  EXPECT_NEAR(bleu(kHypotheses, kReferences).value, 36.65671146483689, 1e-12);
  EXPECT_NEAR(chrf(kHypotheses, kReferences).value, 52.988921453918245, 1e-12);
  EXPECT_NEAR(ter(kHypotheses, kReferences).value, 25.0, 1e-12);
}

TEST(CorpusScore, SaysHowItWasCounted) {
  const CorpusScore score = bleu(kHypotheses, kReferences, {.lowercase = true});
  EXPECT_EQ(score.name, "BLEU");
  EXPECT_TRUE(score.signature.starts_with("nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:yona"))
      << score.signature;
  EXPECT_NE(score.details.find("BP = "), std::string::npos) << score.details;
  EXPECT_EQ(chrf(kHypotheses, kReferences, {.word_order = 2}).name, "chrF2++");
  EXPECT_EQ(ter(kHypotheses, kReferences).name, "TER");
}

TEST(CorpusScore, RefusesLinesWithoutReferences) {
  EXPECT_THROW(bleu(kHypotheses, {{"a"}}), InvalidArgument);
  EXPECT_THROW(chrf({}, {}), InvalidArgument);
  EXPECT_THROW(ter({"\xff"}, {{"a"}}), FormatError);
}

}  // namespace
}  // namespace yona
