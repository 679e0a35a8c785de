// What stands around a text when it becomes ids, on either side.

#include "yona/text/pair_encoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/text/sample_text.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Ids = std::vector<std::int32_t>;

SubwordPair sample_pair() {
  const Subword both(sample_model(SubwordAlgorithm::bpe, 500, {"<BT>"}));
  return {both, both};
}

Ids joined(std::initializer_list<Ids> parts) {
  Ids all;
  for (const Ids& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

TEST(PairEncoder, OfSubWordsAloneEndsEachSideInTheirEnd) {
  const SubwordPair pair = sample_pair();
  const PairEncoder encoder(pair);
  Ids source, target;
  EXPECT_TRUE(encoder.source.encode("the old farmer", source));
  EXPECT_TRUE(encoder.target.encode("der Nachbar", target));
  EXPECT_EQ(source, joined({encode(pair.source, "the old farmer"), {0}}));
  EXPECT_EQ(target, joined({encode(pair.target, "der Nachbar"), {0}}));
  EXPECT_THAT(encoder.identity, IsEmpty());
}

TEST(PairEncoder, PutsTheFrameAroundBothSides) {
  const SubwordPair pair = sample_pair();
  const TextFrame frame{.before_source = {7, 8},
                        .after_source = {0, 9},
                        .before_target = {5},
                        .after_target = {0, 6}};
  const PairEncoder encoder(pair, frame, "files");
  Ids ids{1};  // what is there stays
  EXPECT_TRUE(encoder.source.encode("liebt", ids));
  EXPECT_EQ(ids, joined({{1, 7, 8}, encode(pair.source, "liebt"), {0, 9}}));
  ids.clear();
  EXPECT_TRUE(encoder.target.encode("liebt", ids));
  EXPECT_EQ(ids, joined({{5}, encode(pair.target, "liebt"), {0, 6}}));
  EXPECT_EQ(encoder.identity, "files");
}

TEST(PairEncoder, TagsStandBetweenTheFrameAndTheText) {
  const SubwordPair pair = sample_pair();
  const PairEncoder encoder(pair, {.before_source = {7}, .after_source = {0}}, "");
  const std::int32_t tag = pair.source.tag("<BT>");
  EXPECT_EQ(encoder.source_ids("liebt", {"<BT>"}),
            joined({{7, tag}, encode(pair.source, "liebt"), {0}}));
  EXPECT_THAT(message_of<InvalidArgument>([&] { encoder.source.with_tags({"<XX>"}); }),
              HasSubstr("tag '<XX>' is not in the vocabulary"));
}

TEST(PairEncoder, SaysWhenALineHasNoText) {
  const PairEncoder encoder(sample_pair(), {.before_source = {7}, .after_source = {0}}, "");
  Ids ids;
  EXPECT_FALSE(encoder.source.encode("  ", ids));
  EXPECT_THAT(ids, ElementsAre(7, 0));
  EXPECT_THAT(encoder.source_ids("", {"<BT>"}), IsEmpty());
}

TEST(PairEncoder, SamplesTheTextAndNothingAroundIt) {
  const SubwordPair pair = sample_pair();
  const PairEncoder encoder(pair, {.before_source = {7}, .after_source = {0, 9}}, "");
  Ids drawn, inside;
  encoder.source.sample("the wooden bridge.", 0.5, 3, drawn);
  pair.source.sample("the wooden bridge.", 0.5, 3, inside);
  EXPECT_EQ(drawn, joined({{7}, inside, {0, 9}}));
}

}  // namespace
}  // namespace yona::testing
