#include "yona/inspect/colour.h"

#include <cctype>
#include <set>

#include <gtest/gtest.h>

namespace yona {
namespace {

TEST(Colour, EachHeadHasItsOwn) {
  for (const std::int64_t heads : {1, 8, 10, 11, 16, 64}) {
    std::set<std::string> colours;
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::string colour = head_colour(head, heads);
      ASSERT_EQ(colour.size(), 7U) << colour;
      EXPECT_EQ(colour.front(), '#');
      EXPECT_EQ(colour.find_first_not_of("0123456789abcdef", 1), std::string::npos) << colour;
      colours.insert(colour);
    }
    EXPECT_EQ(colours.size(), static_cast<std::size_t>(heads)) << heads;
  }
}

// A hue of 0 with saturation 0.7 and lightness 0.52, by CSS Color 4: 0.52 ± 0.7 · 0.48.
TEST(Colour, ManyHeadsGoAroundTheCircleFromRed) { EXPECT_EQ(head_colour(0, 12), "#da2f2f"); }

}  // namespace
}  // namespace yona
