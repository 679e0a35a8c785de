#include "yona/decode/shortlist_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;

// Source 2 is mostly target 4, sometimes 5; source 3 is 6.
ShortlistCounts sample_counts() {
  ShortlistCounts counts(4, 8);
  counts.add({2, 3, 0}, {4, 6, 0}, {{1, 0, 0}, {0.01F, 0.9F, 0.09F}, {0, 0, 1}});
  counts.add({2, 0}, {4, 0}, {{1, 0}, {0, 1}});
  counts.add({2, 0}, {5, 0}, {{1, 0}, {0, 1}});
  return counts;
}

TEST(ShortlistCounts, KeepTheBestTranslationsOfEachPiece) {
  const Shortlist one = sample_counts().best({.per_piece = 1, .frequent = 0}, {0}, false);
  EXPECT_THAT(one.candidates({2}), ElementsAre(0, 4));
  EXPECT_THAT(one.candidates({2, 3}), ElementsAre(0, 4, 6));
  const Shortlist two = sample_counts().best({.per_piece = 2, .frequent = 0}, {0}, false);
  EXPECT_THAT(two.candidates({2}), ElementsAre(0, 4, 5));  // 6 had a weight of 0.01
}

TEST(ShortlistCounts, KeepTheMostFrequentPiecesForEverySource) {
  const Shortlist shortlist = sample_counts().best({.per_piece = 0, .frequent = 2}, {7}, false);
  EXPECT_THAT(shortlist.candidates({3}), ElementsAre(0, 4, 7));
  // Pieces that never came are not frequent, however many may be.
  const Shortlist all = sample_counts().best({.per_piece = 0, .frequent = 100}, {}, false);
  EXPECT_THAT(all.candidates({3}), ElementsAre(0, 4, 5, 6));
}

TEST(ShortlistCounts, TakeWhatWasCountedElsewhere) {
  ShortlistCounts counts(2, 5);
  counts.add_translation(1, 3, 0.2F);
  counts.add_translation(1, 4, 0.3F);
  counts.add_translation(1, 3, 0.2F);
  counts.add_frequency(2, 0.5);
  const Shortlist shortlist = counts.best({.per_piece = 1, .frequent = 1}, {}, false);
  EXPECT_THAT(shortlist.candidates({1}), ElementsAre(2, 3));
  EXPECT_EQ(shortlist.translations(), 1);
}

TEST(ShortlistCounts, AreTheSameForEqualWeights) {
  ShortlistCounts counts(1, 5);
  for (const std::int32_t id : {4, 1, 3, 2}) {
    counts.add_translation(0, id, 0.25F);
  }
  EXPECT_THAT(counts.best({.per_piece = 2, .frequent = 0}, {}, false).candidates({0}),
              ElementsAre(1, 2));
}

TEST(ShortlistCounts, RefuseWhatDoesNotFit) {
  ShortlistCounts counts(4, 8);
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              counts.add({1}, {1, 2}, {{1}});
            }),
            "shortlist: an alignment of 1 for 2 target pieces");
  EXPECT_EQ(message_of<InvalidArgument>([&] {
              counts.add({1}, {1}, {{1, 0}});
            }),
            "shortlist: an alignment of 2 for 1 source pieces");
  EXPECT_EQ(message_of<InvalidArgument>([&] { counts.add_translation(4, 1, 1); }),
            "shortlist: ids 4 and 1 are not in vocabularies of 4 and 8");
  EXPECT_EQ(message_of<InvalidArgument>([&] { counts.add_translation(0, 8, 1); }),
            "shortlist: ids 0 and 8 are not in vocabularies of 4 and 8");
  EXPECT_EQ(message_of<InvalidArgument>([&] { counts.add_frequency(-1, 1); }),
            "shortlist: target id -1 is not in a vocabulary of 8");
}

}  // namespace
}  // namespace yona::testing
