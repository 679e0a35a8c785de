#include "yona/inspect/heat_map.h"

#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"
#include "tests/inspect/small_maps.h"

namespace yona::testing {
namespace {

using Heads = AttentionChoice::Heads;

TEST(HeatMap, IsMadeForEveryLayerAndHeadOfAPart) {
  const std::vector<HeatMap> maps = heat_maps(small_maps(), {.part = AttentionPart::cross});
  ASSERT_EQ(maps.size(), 4U);
  EXPECT_EQ(maps[1].title, "cross attention, layer 1, head 2");
  EXPECT_EQ(maps[2].place, "layer 2, head 1");
  EXPECT_EQ(maps[0].rows, (std::vector<std::string>{"ein", "Viertel", "</s>"}));
  EXPECT_EQ(maps[0].columns, (std::vector<std::string>{"a", "quarter", "</s>"}));
  EXPECT_EQ(maps[1].at(0, 1), 1.0F);
}

TEST(HeatMap, OfTheDecoderIsLabelledByWhatItReads) {
  const std::vector<HeatMap> maps = heat_maps(
      small_maps(), {.part = AttentionPart::decoder, .layer = 1, .heads = Heads::one, .head = 1});
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(maps[0].rows, (std::vector<std::string>{"<start>", "ein", "Viertel"}));
  EXPECT_EQ(maps[0].columns, maps[0].rows);
}

TEST(HeatMap, OfTheMeanAveragesTheHeads) {
  const std::vector<HeatMap> maps =
      heat_maps(small_maps(), {.part = AttentionPart::cross, .layer = 0, .heads = Heads::mean});
  ASSERT_EQ(maps.size(), 1U);
  EXPECT_EQ(maps[0].title, "cross attention, layer 1, mean of 2 heads");
  EXPECT_EQ(maps[0].at(0, 0), 0.5F);
  EXPECT_EQ(maps[0].at(0, 1), 0.5F);
  EXPECT_EQ(maps[0].at(0, 2), 0.0F);
}

TEST(HeatMap, NamesWhatIsThereWhenALayerOrHeadIsNot) {
  const AttentionMaps maps = small_maps();
  EXPECT_EQ(message_of<InvalidArgument>([&] { heat_maps(maps, {.layer = 2}); }),
            "attention: there is no layer 3 in the cross attention; it has 2");
  EXPECT_EQ(message_of<InvalidArgument>([&] { heat_maps(maps, {.heads = Heads::one, .head = 2}); }),
            "attention: there is no head 3; the model has 2 in each layer");
}

}  // namespace
}  // namespace yona::testing
