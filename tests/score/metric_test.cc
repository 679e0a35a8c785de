#include "yona/score/metric.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"
#include "yona/score/bleu.h"
#include "yona/score/chrf.h"
#include "yona/score/ter.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using Lines = std::vector<std::string>;

TEST(Metric, SumsSegmentsToTheScoreOfTheCorpus) {
  const Bleu bleu;
  const Lines hypotheses{"a b c d e", "f g h i"};
  const References references{{"a b c d x"}, {"f g h i"}};
  const SegmentStatistics statistics = corpus_statistics(bleu, hypotheses, references);
  EXPECT_EQ(statistics.segments(), 2U);
  EXPECT_EQ(statistics.sums(), (std::vector<double>{9, 9, 8, 6, 4, 2, 9, 7, 5, 3}));
}

TEST(Metric, RefusesWhatHasNoPartner) {
  const Bleu bleu;
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              corpus_statistics(bleu, Lines{"a"}, {{"a"}, {"b"}});
            }),
            "score: there are 1 hypotheses and 2 references; each line needs its own");
  EXPECT_EQ(message_of<InvalidArgument>([&] { corpus_statistics(bleu, Lines{}, {}); }),
            "score: there are no lines to score");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              corpus_statistics(bleu, Lines{"a", "b"}, {{"a"}, {}});
            }),
            "score: line 2 has no reference");
}

TEST(Metric, SignsWhatMakesFiguresComparable) {
  const std::string version = "version:yona-" YONA_VERSION;
  EXPECT_EQ(signature(Bleu(), {.references = 1}),
            "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|" + version);
  EXPECT_EQ(signature(Bleu({.smoothing = BleuSmoothing::floor}),
                      {.references = 2, .bootstrap = 1000, .seed = 7}),
            "nrefs:2|bs:1000|seed:7|case:mixed|eff:no|tok:13a|smooth:floor[0.10]|" + version);
  EXPECT_EQ(signature(Chrf(), {.randomisation = 50, .seed = 7}, SignatureStyle::brief),
            "#:var|ar:50|rs:7|c:mixed|e:yes|nc:6|nw:0|s:no|v:yona-" YONA_VERSION);
}

TEST(Metric, CountsReferences) {
  EXPECT_EQ(reference_count({{"a", "b"}, {"c", "d"}}), 2U);
  EXPECT_EQ(reference_count({{"a", "b"}, {"c"}}), std::nullopt);
}

}  // namespace
}  // namespace yona::testing
