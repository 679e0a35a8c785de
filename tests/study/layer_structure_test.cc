#include "yona/study/layer_structure.h"

#include <gtest/gtest.h>

namespace yona {
namespace {

LayerStructure structure_of(std::string_view name, std::int64_t length) {
  for (const LayerKind& kind : layer_kinds()) {
    if (kind.name == name) {
      return layer_structure(kind, length);
    }
  }
  ADD_FAILURE() << name;
  return {};
}

// What Table 1 says, for n = 122, r = 128 and k = 3.
TEST(LayerStructure, IsThatOfTheTable) {
  const LayerStructure attention = structure_of(kSelfAttention, 122);
  EXPECT_EQ(attention.sequential(), 1);
  EXPECT_EQ(attention.path(), 1);
  const LayerStructure restricted = structure_of(kRestrictedAttention, 122);
  EXPECT_EQ(restricted.sequential(), 1);
  EXPECT_EQ(restricted.path(), 2);  // 64 tokens to each side
  const LayerStructure recurrence = structure_of(kRecurrence, 122);
  EXPECT_EQ(recurrence.sequential(), 122);
  EXPECT_EQ(recurrence.layers, 1);
  EXPECT_EQ(recurrence.path(), 121);
  EXPECT_GE(recurrence.calls - recurrence.half_calls, 61) << "a kernel or more for each token";
  const LayerStructure convolution = structure_of("convolution", 40);
  EXPECT_EQ(convolution.sequential(), 1);
  EXPECT_EQ(convolution.path(), 39);
  EXPECT_EQ(structure_of("dilated convolution", 122).path(), 5);  // 1 + 3 + 9 + 27 + 81 = 121
  EXPECT_EQ(structure_of("dilated convolution", 123).path(), 6);  // and 1 again
}

TEST(LayerStructure, ReachGrowsWithTheDepthOfADilatedStackAlone) {
  for (const LayerKind& kind : layer_kinds()) {
    const bool is_dilated = kind.name == "dilated convolution";
    EXPECT_EQ(layer_reach(kind, 2, 30), is_dilated ? 9 : layer_reach(kind, 0, 30)) << kind.name;
  }
}

}  // namespace
}  // namespace yona
