#include "yona/study/curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yona {
namespace {

using ::testing::HasSubstr;
using Kind = Crossing::Kind;

const Curve kLinear{{100, 10}, {200, 20}, {400, 40}, {800, 80}};
const Curve kSquare{{100, 2.5}, {200, 10}, {400, 40}, {800, 160}};

TEST(Curves, FindsWhereOneCrossesTheOther) {
  const Crossing found = crossing(kLinear, {{100, 5}, {200, 20.0 / 1.5}, {400, 60}, {800, 160}});
  EXPECT_EQ(found.kind, Kind::from);
  EXPECT_GT(found.at, 200);
  EXPECT_LT(found.at, 400);
  EXPECT_EQ(found.ratio, 0.5);
  EXPECT_NEAR(crossing({{1, 4}, {4, 4}}, {{1, 2}, {4, 8}}).at, 2,
              1e-9);  // in the logarithms' middle
  EXPECT_NEAR(crossing(kLinear, kSquare).at, 400, 1e-9);
}

TEST(Curves, SaysWhereNothingCrosses) {
  EXPECT_EQ(crossing(kSquare, kLinear).kind, Kind::not_at_end);
  EXPECT_EQ(crossing({{1, 1}, {2, 1}}, {{1, 2}, {2, 2}}).kind, Kind::always);
  EXPECT_EQ(crossing({{1, 1}}, {{2, 2}}).kind, Kind::nowhere);
  EXPECT_EQ(crossing({}, kLinear).kind, Kind::nowhere);
  EXPECT_EQ(crossing(kLinear, kLinear).kind, Kind::not_at_end) << "equal is not lower";
  // Lower, higher and lower again: from the last crossing on.
  const Crossing found = crossing({{1, 1}, {2, 3}, {4, 1}}, {{1, 2}, {2, 2}, {4, 2}});
  EXPECT_EQ(found.kind, Kind::from);
  EXPECT_GT(found.at, 2);
}

TEST(Curves, WordsFollowTheNumbers) {
  EXPECT_EQ(crossing_text(crossing(kLinear, kSquare)),
            "is faster from about n = 400 on (0.50 of the time at n = 800)");
  EXPECT_EQ(crossing_text(crossing(kSquare, kLinear)),
            "is not faster at n = 800, the longest measured (2.00 of the time)");
  EXPECT_THAT(crossing_text(crossing({{1, 1}, {2, 1}}, {{1, 2}, {2, 4}}),
                            {.lower = "smaller", .of_cost = "of the memory"}),
              HasSubstr("is smaller at every measured n from 1 on (0.25 of the memory at n = 2)"));
  EXPECT_EQ(crossing_text({}), "was not compared");
}

TEST(Curves, GrowthIsTheSlopeOfTheUpperHalf) {
  EXPECT_NEAR(growth_of(kLinear).exponent, 1, 1e-9);
  EXPECT_NEAR(growth_of(kSquare).exponent, 2, 1e-9);
  // Flat at first: the upper half alone counts.
  const Growth growth = growth_of({{1, 5}, {2, 5}, {4, 5}, {8, 10}, {16, 20}});
  EXPECT_NEAR(growth.exponent, 1, 1e-9);
  EXPECT_EQ(growth.first, 4);
  EXPECT_EQ(growth.last, 16);
  EXPECT_NEAR(growth_of({{2, 3}, {4, 6}}).exponent, 1, 1e-9);
  EXPECT_EQ(growth_of({{2, 3}}).exponent, 0);
}

}  // namespace
}  // namespace yona
