#include "yona/inspect/figures.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/inspect/small_maps.h"

namespace yona::testing {
namespace {

using ::testing::HasSubstr;

// By part, two layers of two heads each.
const HeadFigures& of(const std::vector<HeadFigures>& figures, AttentionPart part,
                      std::int64_t head) {
  return figures[static_cast<std::size_t>(part) * 4 + static_cast<std::size_t>(head)];
}

TEST(Figures, NameHeadsThatLookAtTheSameTheNextAndThePreviousToken) {
  const std::vector<HeadFigures> figures = figures_of(small_maps());
  ASSERT_EQ(figures.size(), 12U);
  const HeadFigures& same = of(figures, AttentionPart::encoder, 0);
  EXPECT_EQ(same.same, 1.0);
  EXPECT_EQ(same.previous, 0.0);
  EXPECT_EQ(same.next, 0.0);
  EXPECT_EQ(same.entropy, 0.0);
  EXPECT_EQ(same.entropy_share, 0.0);
  EXPECT_NEAR(*same.first, 1.0 / 3, 1e-12);
  EXPECT_NEAR(*same.last, 1.0 / 3, 1e-12);
  EXPECT_EQ(of(figures, AttentionPart::encoder, 1).next, 1.0);
  EXPECT_EQ(of(figures, AttentionPart::decoder, 1).previous, 1.0);
}

TEST(Figures, LeaveOutWhatHasNoMeaning) {
  const std::vector<HeadFigures> figures = figures_of(small_maps());
  const HeadFigures& decoder = of(figures, AttentionPart::decoder, 0);
  EXPECT_FALSE(decoder.next.has_value());
  EXPECT_FALSE(decoder.last.has_value());
  const HeadFigures& cross = of(figures, AttentionPart::cross, 0);
  EXPECT_FALSE(cross.previous.has_value());
  EXPECT_FALSE(cross.same.has_value());
  EXPECT_TRUE(cross.last.has_value());
}

TEST(Figures, GiveEntropyInNatsAndAsAShareOfWhatIsPossible) {
  AttentionMaps maps = small_maps();
  for (AttentionMap& map : maps.maps) {  // every row looks at all that it sees alike
    for (std::int64_t row = 0; row < map.heads * map.queries; ++row) {
      const std::int64_t seen =
          map.part == AttentionPart::decoder ? row % map.queries + 1 : map.keys;
      for (std::int64_t key = 0; key < map.keys; ++key) {
        map.weights[static_cast<std::size_t>(row * map.keys + key)] =
            key < seen ? 1.0F / static_cast<float>(seen) : 0.0F;
      }
    }
  }
  const std::vector<HeadFigures> figures = figures_of(maps);
  EXPECT_NEAR(of(figures, AttentionPart::cross, 0).entropy, std::log(3.0), 1e-6);
  EXPECT_NEAR(*of(figures, AttentionPart::cross, 0).entropy_share, 1.0, 1e-6);
  EXPECT_NEAR(of(figures, AttentionPart::decoder, 0).entropy, (std::log(2.0) + std::log(3.0)) / 3,
              1e-6);
  EXPECT_NEAR(*of(figures, AttentionPart::decoder, 0).entropy_share, 1.0, 1e-6);
}

TEST(Figures, OfOneTokenHaveNoShareAndNoNeighbours) {
  const HeadFigures head = figures_of(small_maps({"</s>"}, {"</s>"})).front();
  EXPECT_EQ(head.entropy, 0.0);
  EXPECT_FALSE(head.entropy_share.has_value());
  EXPECT_FALSE(head.previous.has_value());
  EXPECT_FALSE(head.next.has_value());
  EXPECT_EQ(head.same, 1.0);
}

TEST(Figures, OfACorpusAreMeansOverRowsNotSentences) {
  FigureSums sums;
  sums.add(small_maps());                    // 3 rows, a third of which look at the first key
  sums.add(small_maps({"</s>"}, {"</s>"}));  // 1 row, which does
  EXPECT_EQ(sums.sentences(), 2);
  EXPECT_NEAR(*sums.means().front().first, 2.0 / 4, 1e-12);
}

TEST(Figures, OfDifferentModelsAreNotMixed) {
  FigureSums sums;
  sums.add(small_maps());
  AttentionMaps other = small_maps();
  other.maps.erase(other.maps.begin());
  EXPECT_THAT(message_of<InvalidArgument>([&] { sums.add(other); }),
              HasSubstr("models with different layers"));
}

TEST(Figures, ArePrintedAsATableAndAsJson) {
  const std::vector<HeadFigures> figures = figures_of(small_maps());
  const std::string table = figures_table(figures);
  EXPECT_THAT(table,
              HasSubstr("encoder      1    2    0.000     0.0       0.0    0.0  100.0   33.3"));
  EXPECT_THAT(table, HasSubstr("cross        2    2    0.000     0.0         -      -      -"));
  const Json json = figures_json(figures);
  EXPECT_EQ(json.at(1).at("next"), 1.0);
  EXPECT_EQ(json.at(1).at("head"), 2);
  EXPECT_FALSE(json.at(11).contains("same"));
}

}  // namespace
}  // namespace yona::testing
